import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { expectAccessible, joined, loggedIn } from '../testing/app-pages.js';
import { startForStories } from '../testing/start-for-stories.js';

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const batch = Array.from({ length: 40 }, (_, index) => ({
    event: '$pageview',
    distinct_id: `user-${index}`,
    properties: { $set: { plan: index % 4 === 0 ? 'pro' : 'free' } },
  }));
  await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } });
});

const FLAGS = '/api/environments/@current/feature_flags/';

async function flagOf(key: string): Promise<{ id: number; active: boolean; version: number; filters: unknown }> {
  const { body } = await service.get(`${FLAGS}${key}/`);
  return body as { id: number; active: boolean; version: number; filters: unknown };
}

/** Colours change at once, so that axe sees those of the theme. */
const AT_ONCE = { bypassCSP: true, hasReducedMotion: true };

test('a flag is created, released, tried, changed by two people, rolled back, scheduled and deleted', async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/flags`);
  await page.getByText('No flags yet').waitFor();
  await page.getByRole('link', { name: 'New flag' }).first().click();

  // a condition by a property: the count follows
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill('new-checkout');
  await page.getByRole('button', { name: 'Property or cohort' }).click();
  await page.getByRole('searchbox', { name: 'Search properties' }).fill('plan');
  await page.getByRole('option', { name: 'plan' }).click();
  await page.getByRole('searchbox', { name: 'Search or type a value' }).fill('pro');
  await page.getByRole('option', { name: 'pro' }).first().click();
  // the first Esc empties the search, the second closes the list
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByLabel('Percentage of condition 1').fill('100');
  await page.getByText('10 people', { exact: true }).waitFor();

  // variants: what does not sum to 100, or is no JSON, is not saved
  await page.getByRole('button', { name: 'Add variants' }).click();
  await page.getByLabel('Percentage of variant 1').fill('30');
  await page.getByText('Sums to 80%, and must sum to 100%').waitFor();
  expect(await page.getByRole('button', { name: 'Create flag' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Split evenly' }).click();
  await page.getByLabel('Payload of variant 2').fill('{"steps":');
  await page.getByText('Not JSON').waitFor();
  await page.getByLabel('Payload of variant 2').fill('{"steps":1}');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create flag' }).click();
  await page.waitForURL(/\/flags\/\d+$/);
  const created = await flagOf('new-checkout');
  expect(created.filters).toMatchObject({
    groups: [{ properties: [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }], rollout_percentage: 100 }],
    payloads: { test: '{"steps":1}' },
  });

  // the tester says who gets what, and why
  await page.getByRole('searchbox', { name: 'Distinct id of a person' }).fill('user-1');
  await page.keyboard.press('Enter');
  await page.getByText('because no condition matches').waitFor();
  await page.getByText('plan exact ["pro"] (it is free): no.').waitFor();
  await page.getByRole('radio', { name: 'Node.js' }).click({ force: true });
  await page.getByText("getFeatureFlag('new-checkout', 'user-1')").waitFor();

  // unsaved changes survive a reload; somebody else's change is reported
  await page.getByLabel('Percentage of condition 1').fill('50');
  await page.getByText('1 change, not saved').waitFor();
  await page.reload();
  await page.getByText('1 change, not saved').waitFor();
  await service.call('PATCH', `${FLAGS}${created.id}/`, { body: { name: 'Words of somebody else' } });
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Somebody changed this flag meanwhile').waitFor();
  await page.getByRole('button', { name: 'Save mine over theirs' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByText('10 people, 50% of them').waitFor();

  // back to the first version
  await page.getByRole('tab', { name: /History/ }).click();
  await page.getByRole('button', { name: /Version 1/ }).click();
  await page.getByRole('row', { name: /Description/ }).waitFor();
  await page.getByRole('row', { name: /Condition 1/ }).waitFor();
  await page.getByRole('button', { name: 'Roll back to version 1' }).click();
  await page.getByText('The flag is as it was then.').waitFor();
  expect((await flagOf('new-checkout')).filters).toMatchObject({ groups: [{ rollout_percentage: 100 }] });
  await expectAccessible(page);

  // a change at a set time
  await page.getByRole('tab', { name: 'Schedule' }).click();
  await page.getByRole('radio', { name: 'Switch off' }).click({ force: true });
  await page.getByLabel('When').fill('2031-01-06T08:00');
  await page.getByRole('button', { name: 'Schedule change' }).click();
  await page.getByText('6 Jan 2031, 08:00').waitFor();
  await expectAccessible(page);

  // the list switches at once, and undoes
  await page.getByRole('link', { name: 'Flags', exact: true }).first().click();
  const toggle = page.getByRole('switch', { name: 'new-checkout is on' });
  await toggle.click({ force: true });
  await expect.poll(async () => (await flagOf('new-checkout')).active).toBe(false);
  expect(await toggle.isChecked()).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await flagOf('new-checkout')).active).toBe(true);
  await page.getByRole('searchbox', { name: 'Search flags' }).fill('nothing like it');
  await page.getByText('No flag matches').waitFor();
  await page.getByRole('button', { name: 'Show all flags' }).click();
  await expectAccessible(page);

  // deleted, and not
  await page.getByRole('link', { name: 'new-checkout' }).click();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete flag' }).click();
  await page.getByText('No flags yet').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByRole('link', { name: 'new-checkout' }).waitFor();
  expect(problems.filter((one) => !/409/.test(one))).toEqual([]);
  await close();
});

test('hundreds of flags are a list of few rows, and a viewer sees a flag and edits nothing', async () => {
  const { status } = await service.post(FLAGS, { key: 'the-oldest' });
  expect(status).toBe(201);
  const keys = Array.from({ length: 600 }, (_, index) => `many-${index}`);
  for (let at = 0; at < keys.length; at += 20)
    await Promise.all(keys.slice(at, at + 20).map((key) => service.post(FLAGS, { key })));
  const viewer = await joined(service, 'viewer@example.com');
  const ruled = await service.call('PUT', '/api/environments/@current/resource_access_controls/', {
    body: { resource: 'feature_flag', access_level: 'viewer' },
  });
  expect(ruled.status).toBeLessThan(300);

  const { page, problems, close } = await loggedIn(browser, service, { ...viewer, ...AT_ONCE });
  await page.goto(`${service.url}/p/1/flags`);
  await page
    .getByText(/^many-59\d$/)
    .first()
    .waitFor();
  expect(await page.getByRole('listitem').count()).toBeLessThan(100);
  expect(await page.getByRole('link', { name: 'New flag' }).count()).toBe(0);
  expect(
    await page
      .getByRole('switch', { name: /^many-59\d is on/ })
      .first()
      .isDisabled(),
  ).toBe(true);
  // the end of the list comes by scrolling
  const first = page.getByRole('link', { name: 'the-oldest' });
  await expect
    .poll(async () => {
      await page.evaluate(`document.querySelector('ul[aria-label=Flags]').parentElement.scrollTop = 1e9`);
      return first.count();
    })
    .toBe(1);
  await first.click();
  await page.getByText('You can view it, and not change it').waitFor();
  expect(await page.getByRole('button', { name: /Save|Add|Remove|Move|More/ }).count()).toBe(0);
  await expectAccessible(page);
  expect(problems).toEqual([]);
  await close();
});
