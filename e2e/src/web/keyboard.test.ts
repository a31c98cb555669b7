import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import type { AppPage } from '../testing/app-pages.js';
import { expectFocus } from '../testing/focus.js';
import { logInByKeyboard, press } from '../testing/keyboard-stories.js';
import { startForStories } from '../testing/start-for-stories.js';

/* Stories by the keyboard alone: no mouse moves or presses. The focus is in sight at each step, also after what had it is gone. */

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const batch = Array.from({ length: 40 }, (_, index) => ({
    event: index % 2 === 0 ? '$pageview' : 'purchase',
    distinct_id: `user-${index}`,
    properties: {
      country: index % 4 === 0 ? 'FR' : 'DE',
      $pathname: '/',
      $set: { plan: index % 4 === 0 ? 'pro' : 'free', email: `user-${index}@example.com` },
    },
  }));
  await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } });
});

const FLAGS = '/api/environments/@current/feature_flags/';
/** The menu of the screen. */
const more = (page: AppPage) => page.getByRole('main').getByRole('button', { name: 'More', exact: true }).first();
/** The button of the message that something is deleted. */
const undo = (page: AppPage) => page.getByRole('alertdialog', { name: /deleted/ }).getByRole('button', { name: 'Undo' });
const atHome = () => logInByKeyboard(browser, service);

test('a flag is created, tried, switched, rolled back, deleted and restored', async () => {
  const { page, keys, heading, problems, close } = await atHome();
  const flag = async () => (await service.get(`${FLAGS}new-checkout/`)).body;
  await press(page, 'g', 'f');
  await heading('Flags');
  await expectFocus(page, 'the list of flags');
  await keys.press(page.getByRole('main').getByRole('link', { name: 'New flag' }).first());
  await keys.type(page.getByRole('textbox', { name: 'Key', exact: true }), 'new-checkout');
  await keys.press(page.getByRole('button', { name: 'Property or cohort' }));
  await keys.find('plan', 'plan');
  await page.getByRole('searchbox', { name: 'Search or type a value' }).waitFor();
  await keys.find('pro', 'pro');
  await press(page, 'Escape', 'Escape');
  await expectFocus(page, 'the list of values is closed');
  await keys.to(page.getByRole('slider', { name: 'Rollout of condition 1' }));
  await press(page, 'Home');
  expect(await page.getByLabel('Percentage of condition 1').inputValue()).toBe('0');
  await press(page, 'End');
  await page.getByText('10 people', { exact: true }).waitFor();
  await keys.press(page.getByRole('button', { name: 'Add variants' }));
  await keys.type(page.getByLabel('Payload of variant 2'), '{"steps":1}');
  await expect.poll(() => page.getByLabel('Payload of variant 2').inputValue()).toBe('{"steps":1}');
  await keys.press(page.getByRole('button', { name: 'Create flag' }));
  await page.waitForURL(/\/flags\/\d+$/);
  await heading('new-checkout');
  await expectFocus(page, 'the flag is created');
  expect(await flag()).toMatchObject({ filters: { payloads: { test: '{"steps":1}' } } });

  await keys.type(page.getByRole('searchbox', { name: 'Distinct id of a person' }), 'user-1');
  await press(page, 'Enter');
  await page.getByText('because no condition matches').waitFor();

  await keys.type(page.getByLabel('Percentage of condition 1'), '50');
  await page.getByText('1 change, not saved').waitFor();
  await keys.press(page.getByRole('button', { name: 'Save changes' }));
  await page.getByText('Saved', { exact: true }).waitFor();
  await expectFocus(page, 'the flag is saved');

  await press(page, 'g', 'f');
  await heading('Flags');
  await expectFocus(page, 'the list of flags');
  await keys.press(page.getByRole('switch', { name: 'new-checkout is on' }), 'Space');
  await expect.poll(flag).toMatchObject({ active: false });
  await expectFocus(page, 'the flag is switched off');

  await keys.press(page.getByRole('link', { name: 'new-checkout' }));
  await keys.to(page.getByRole('tab', { name: 'Release' }));
  await press(page, 'End');
  await keys.press(page.getByRole('button', { name: /Version 1/ }));
  await keys.press(page.getByRole('button', { name: 'Roll back to version 1' }));
  await page.getByText('The flag is as it was then.').waitFor();
  await expectFocus(page, 'the flag is rolled back');
  expect(await flag()).toMatchObject({ active: true, filters: { groups: [{ rollout_percentage: 100 }] } });

  await keys.choose(more(page), 'Delete flag');
  await page.getByText('No flags yet').waitFor();
  await expectFocus(page, 'the flag is deleted');
  await keys.press(undo(page));
  await page.getByRole('link', { name: 'new-checkout' }).waitFor();
  await expectFocus(page, 'the flag is restored');
  expect(problems).toEqual([]);
  await close();
});

test('a dashboard is made of a template, changed, filtered, shown full screen, deleted and restored', async () => {
  const { page, keys, heading, type, problems, close } = await atHome();
  await service.post('/api/projects/@current/insight_variables/', {
    name: 'Country',
    type: 'List',
    values: ['DE', 'FR'],
    default_value: 'DE',
  });
  await press(page, 'g', 'd');
  await heading('Dashboards');
  await expectFocus(page, 'the list of dashboards');
  await press(page, 'n');
  const dialog = page.getByRole('dialog', { name: 'New dashboard' });
  await keys.pick(dialog.getByRole('radiogroup', { name: 'Begin with' }), 'Website traffic');
  await keys.to(dialog.getByLabel('Name'));
  await press(page, 'Control+a');
  await type('Our site');
  await press(page, 'Enter');
  await heading('Our site');
  await expectFocus(page, 'the dashboard is made');

  await keys.choose(page.getByRole('button', { name: 'Add', exact: true }), 'Text');
  await page.getByRole('dialog', { name: 'Add text' }).waitFor();
  await type('What the board sees');
  await keys.press(page.getByRole('button', { name: 'Add text' }));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('What the board sees').waitFor();
  await expectFocus(page, 'the text is added');

  await keys.press(page.getByRole('button', { name: 'Edit layout' }));
  await expectFocus(page, 'the layout is edited');
  const text = page.getByRole('group', { name: /^Text:/ });
  await keys.to(text);
  await press(page, 'ArrowRight', 'Shift+ArrowDown');
  await expect.poll(() => text.getAttribute('aria-label')).toMatch(/column 2, .* 6 rows high/);
  await expectFocus(page, 'the tile is moved');
  const place = await text.getAttribute('aria-label');
  await keys.press(page.getByRole('button', { name: 'Save layout' }));
  await page.getByRole('button', { name: 'Edit layout' }).waitFor();
  await expectFocus(page, 'the layout is saved');
  await keys.press(page.getByRole('button', { name: 'Edit layout' }));
  await text.waitFor();
  expect(await text.getAttribute('aria-label')).toBe(place);
  await keys.press(page.getByRole('button', { name: 'Cancel' }));
  await expectFocus(page, 'the layout is left');

  await keys.press(page.getByRole('button', { name: /^Dates:/ }));
  await page.getByRole('dialog', { name: 'Dates' }).waitFor();
  await keys.press(page.getByRole('dialog').getByRole('button', { name: /^Last 30 days/ }));
  await expect.poll(() => page.url()).toContain('from=');
  await expectFocus(page, 'the dates are chosen');
  await keys.press(page.getByRole('button', { name: 'Filter', exact: true }));
  await keys.find('country', /^country/);
  await page.getByRole('searchbox', { name: 'Search or type a value' }).waitFor();
  await keys.find('FR', 'FR');
  await press(page, 'Escape', 'Escape');
  await expect.poll(() => page.url()).toContain('country');
  await expectFocus(page, 'the filter is set');

  const id = Number(new URL(page.url()).pathname.split('/').at(-1));
  const query = { kind: 'HogQLQuery', query: 'select count() from events where properties.country = {variables.country}' };
  const source = { kind: 'DataVisualizationNode', source: query };
  await service.post('/api/projects/@current/insights/', {
    name: 'Of a country',
    query: source,
    dashboards: [id],
    saved: true,
  });
  await page.reload();
  await keys.select(page.getByRole('group', { name: 'Variables' }).getByRole('button'), 'FR');
  await expect.poll(() => page.url()).toContain('v=country');
  await expectFocus(page, 'the value is chosen');

  await keys.press(page.getByRole('button', { name: 'Full screen' }));
  await page.getByRole('button', { name: 'Leave full screen' }).waitFor();
  await expectFocus(page, 'full screen');
  expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
  await press(page, 'Escape');
  await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
  await expectFocus(page, 'no full screen any more');

  await keys.press(page.getByRole('button', { name: 'Remove filter country' }));
  await expect.poll(() => page.url()).not.toContain('f=');
  await expectFocus(page, 'the filter is removed');
  await keys.choose(page.getByRole('button', { name: 'More about this text' }), 'Remove from dashboard');
  await page.getByText('What the board sees').waitFor({ state: 'detached' });
  await expectFocus(page, 'the text is removed');

  await keys.choose(more(page), 'Delete dashboard');
  await heading('Dashboards');
  await undo(page).waitFor();
  await expectFocus(page, 'the dashboard is deleted');
  await keys.press(undo(page));
  await page.getByRole('link', { name: 'Our site' }).waitFor();
  await expectFocus(page, 'the dashboard is restored');
  expect(problems).toEqual([]);
  await close();
});

test('events are filtered and paused, one is opened, and leads to its person and to an insight', async () => {
  const { page, keys, heading, problems, close } = await atHome();
  await press(page, 'g', 'e');
  await heading('Events');
  await page.getByRole('list', { name: 'Events' }).waitFor();
  await expectFocus(page, 'the list of events');
  await press(page, 'Space');
  await page.getByText('Paused', { exact: true }).waitFor();
  await keys.press(page.getByRole('button', { name: 'Filter', exact: true }));
  await keys.find('country', /^country/);
  await page.getByRole('searchbox', { name: 'Search or type a value' }).waitFor();
  await keys.find('FR', 'FR');
  await press(page, 'Escape', 'Escape');
  await expectFocus(page, 'the filter is set');
  const rows = page.getByRole('list', { name: 'Events' }).getByRole('button', { expanded: false });
  await expect.poll(() => rows.count()).toBe(10);
  const row = rows.first();
  await keys.press(row, 'Space');
  // the row takes the key: it does not go on
  await page.getByRole('link', { name: 'Open person' }).waitFor();
  await page.getByText('Paused', { exact: true }).waitFor();
  await keys.press(page.getByRole('link', { name: 'Open person' }));
  await heading(/user-\d+@example.com/);
  await expectFocus(page, 'the person is open');
  await page.goBack();
  await heading('Events');
  await page.getByRole('link', { name: 'Open person' }).waitFor();
  await page.getByRole('group', { name: /^country/ }).waitFor();
  await expectFocus(page, 'back at the events');
  await keys.press(page.getByRole('link', { name: 'Make an insight of this event' }));
  await heading('New insight');
  await page.getByRole('region', { name: 'Numbers' }).getByText('Page view').first().waitFor();
  await expectFocus(page, 'the insight is open');
  expect(problems).toEqual([]);
  await close();
});

test('an insight is saved, duplicated, exported, read as an API call, deleted and restored', async () => {
  const { page, keys, heading, type, problems, close } = await atHome();
  await press(page, 'g', 'i');
  await heading('Insights');
  await expectFocus(page, 'the list of insights');
  await press(page, 'n');
  await heading('New insight');
  await page.getByRole('region', { name: 'Numbers' }).getByText('Page view').first().waitFor();
  await press(page, 's');
  await page.getByRole('dialog', { name: 'Save insight' }).waitFor();
  await type('Views');
  await press(page, 'Enter');
  await heading('Views');
  await expectFocus(page, 'the insight is saved');
  await keys.choose(more(page), 'Save as a new insight');
  await keys.to(page.getByRole('dialog', { name: 'Save insight' }).getByLabel('Name'));
  await press(page, 'Enter');
  await heading('Views (copy)');
  await expectFocus(page, 'the copy is saved');

  await keys.pick(page.getByRole('radiogroup', { name: 'Kind of question' }), 'Lifecycle');
  await page.getByText('Changed, not saved').waitFor();
  await keys.press(page.getByRole('button', { name: 'Save', exact: true }));
  await page.getByRole('button', { name: 'Saved', exact: true }).waitFor();
  await expectFocus(page, 'the change is saved');

  const download = page.waitForEvent('download');
  await keys.choose(page.getByRole('button', { name: 'Export' }), /CSV/);
  expect(await (await download).path()).toBeTruthy();
  await expectFocus(page, 'the file is downloaded');
  await keys.press(page.getByRole('button', { name: 'As API call' }));
  await page.getByRole('tabpanel', { name: 'curl' }).getByText(/^curl/).waitFor();
  await keys.to(page.getByRole('tab', { name: 'curl' }));
  await press(page, 'ArrowRight');
  await keys.to(page.getByRole('button', { name: 'Copy the question' }));
  await press(page, 'Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expectFocus(page, 'the dialog is closed');

  await keys.choose(more(page), 'Delete insight');
  await heading('Insights');
  await undo(page).waitFor();
  await expectFocus(page, 'the insight is deleted');
  await keys.press(undo(page));
  await page.getByRole('link', { name: 'Views (copy)' }).waitFor();
  await expectFocus(page, 'the insight is restored');
  expect(problems).toEqual([]);
  await close();
});
