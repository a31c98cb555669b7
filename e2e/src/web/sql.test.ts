import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { expectAccessible, loggedIn } from '../testing/app-pages.js';
import { propertyIsOffered, startForStories } from '../testing/start-for-stories.js';

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const batch = ['paid', 'paid', 'refunded', '$pageview'].map((event, index) => ({
    event,
    distinct_id: `user-${index}`,
    properties: { amount: index },
  }));
  const body = { api_key: service.account.projectKey, batch };
  const { status } = await service.call('POST', '/batch/', { key: null, body });
  expect(status).toBe(200);
  await propertyIsOffered(service, 'amount');
});

const PROJECT = '/api/environments/@current';
/** Colours change at once, so that axe sees those of the theme. */
const AT_ONCE = { bypassCSP: true, hasReducedMotion: true };

test('a wrong select is marked where it is wrong, mended, and saved as an insight', async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/sql`);
  const editor = page.getByRole('textbox', { name: 'SQL' });
  const write = async (text: string) => {
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
  };
  await write('select evnt, count() as events from events group by evnt');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('Line 1, column 8:').waitFor();
  await page.getByRole('alert').getByText('"evnt" is not a column.').waitFor();
  await expectAccessible(page, 'sql-error');
  await write('select event, count() as events from events group by group');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('Line 1, column 54:').waitFor();

  // the editor completes names
  await write('select event, count() as events from ev');
  await page.keyboard.press('Control+Space');
  await page
    .getByRole('option', { name: /events/ })
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await write('select properties.am');
  await page.keyboard.press('Control+Space');
  await page.getByRole('option', { name: 'amount' }).waitFor();
  await page.keyboard.press('Escape');
  await write("select count() from events where event = 'pai");
  await page.keyboard.press('Control+Space');
  await page.getByRole('option', { name: 'paid' }).waitFor();
  await page.keyboard.press('Escape');
  await write(
    "select event, count() as events from events where event in ('paid', 'refunded') group by event order by events desc",
  );
  await page.keyboard.press('Control+Enter');
  await page.getByRole('cell', { name: 'paid' }).waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toContain("event in ('paid', 'refunded')");
  await expectAccessible(page, 'sql-table');
  await page.getByRole('radiogroup', { name: 'Shown as' }).getByText('Ranking').click();
  await page.locator('svg').getByText('refunded').waitFor();
  await expectAccessible(page, 'sql-chart');
  // what is written and not run yet survives a reload; Back goes to the select before
  await write('select 1');
  await page.getByText('Not run yet, stays in this tab').waitFor();
  await page.reload();
  await page.getByText('Not run yet, stays in this tab').waitFor();
  expect(await editor.textContent()).toContain('select 1');
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByRole('button', { name: /event in/ }).click();
  await page.getByText('Not run yet').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Save as insight' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Paid and refunded');
  await page.getByRole('button', { name: 'Save insight' }).click();
  await page.waitForURL(/\/insights\/[\w-]+$/, { waitUntil: 'commit' });
  const { body } = await service.get(`${PROJECT}/insights/?short_id=${page.url().split('/').at(-1)}`);
  expect(body).toMatchObject({
    results: [{ name: 'Paid and refunded', query: { kind: 'DataVisualizationNode', display: 'ActionsBarValue' } }],
  });
  expect(problems.filter((one) => !/status of 400/.test(one))).toEqual([]);
  await close();
});
