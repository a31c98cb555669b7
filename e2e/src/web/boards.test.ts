import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { type AppPage, faultsInBothThemes, loggedIn, loggedInAtHome } from '../testing/app-pages.js';
import { axe, isTooWide, type Visit, watchedPage } from '../testing/public-pages.js';
import { recordCart } from '../testing/shared-recordings.js';
import { startForStories, storeEvents } from '../testing/start-for-stories.js';

/* Dashboards from templates, their variables, who sees them, and what was viewed last. */

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const batch = Array.from({ length: 40 }, (_, i) => ({
    event: '$pageview',
    distinct_id: `user-${i % 7}`,
    timestamp: new Date(Date.now() - (i % 10) * 86_400_000).toISOString(),
    properties: { country: i % 4 === 0 ? 'FR' : 'DE', $pathname: '/' },
  }));
  await storeEvents(service, batch);
});

/** A page in which the owner of the service is logged in, at home. */
const atHome = (visit: Visit = {}) => loggedInAtHome(browser, service, visit);

const heading = (page: AppPage, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const more = async (page: AppPage, row: string) => {
  await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: row }).click();
};
/** Makes something by the API; answers with it. */
async function make(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await service.call('POST', `/api/projects/@current/${path}/`, { body });
  expect(answer.status).toBe(201);
  return answer.body as Record<string, unknown>;
}

test('home begins a dashboard from a template, and lists it as viewed', async () => {
  const { page, project, problems } = await atHome();
  await page.getByRole('button', { name: 'New', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Dashboard' }).click();
  const dialog = page.getByRole('dialog', { name: 'New dashboard' });
  for (const name of ['Empty', 'Product analytics', 'Website traffic', 'Acquisition'])
    await dialog.getByRole('radio', { name }).waitFor();
  await dialog.getByText('Retention', { exact: true }).click();
  await dialog.getByLabel('Name').fill('Who stays');
  await dialog.getByRole('button', { name: 'Create dashboard' }).click();
  await heading(page, 'Who stays');
  await page.getByRole('link', { name: 'Days of use in a month' }).waitFor();
  await make('feature_flags', { key: 'new-checkout' }).then(async ({ id }) => page.goto(`${service.url}${project}/flags/${id}`));
  await heading(page, 'new-checkout');
  await page.goto(`${service.url}${project}`);
  const recent = page.getByRole('list', { name: 'Recently viewed' });
  await recent.getByRole('link', { name: 'new-checkout' }).waitFor();
  await recent.getByRole('link', { name: 'Who stays' }).click();
  await heading(page, 'Who stays');
  expect(problems).toEqual([]);
});

test('a variable is made on a dashboard, chosen in its bar, stands in the address and is stored for everybody', async () => {
  const { page, project, problems } = await atHome();
  const { id } = await make('dashboards', { name: 'Countries' });
  const query = "select count() as views from events where event = '$pageview' and properties.country = {variables.country}";
  await page.goto(`${service.url}${project}/dashboards/${id}`);
  await more(page, 'Variables');
  await page.getByRole('button', { name: 'New variable' }).click();
  await page.getByLabel('Name').fill('Country');
  await page.getByRole('radiogroup', { name: 'Type' }).getByText('List').click();
  await page.getByLabel('Values').fill('DE\nFR');
  await page.getByRole('textbox', { name: 'Default' }).fill('DE');
  await page.getByRole('button', { name: 'Create variable' }).click();
  await page.getByText('{variables.country}').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  const source = { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query } };
  await make('insights', { name: 'Views of a country', query: source, dashboards: [id], saved: true });
  await page.reload();
  await page.getByText('30', { exact: true }).waitFor();
  const country = page.getByRole('group', { name: 'Variables' }).getByRole('button');
  await country.click();
  await page.getByRole('option', { name: 'FR' }).click();
  await page.getByText('10', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.toString()).toContain('country');
  await page.reload();
  await page.getByText('10', { exact: true }).waitFor();
  await more(page, 'Keep these dates and values for everybody');
  await expect.poll(() => new URL(page.url()).searchParams.toString()).not.toContain('country');
  await page.getByText('10', { exact: true }).waitFor();
  const other = await atHome();
  await other.page.goto(`${service.url}${project}/dashboards/${id}`);
  await other.page.getByText('10', { exact: true }).waitFor();
  expect([...problems, ...other.problems]).toEqual([]);
});

test('a tile says how it was computed: from which events, and whether the answer is a cached one', async () => {
  const { page, project, problems } = await atHome({ bypassCSP: true });
  const { id } = await make('dashboards', { name: 'Explained', filters: { date_from: '-30d' } });
  const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }], dateRange: { date_from: '-1h' } };
  const query = { kind: 'InsightVizNode', source };
  await make('insights', { name: 'Views', query, dashboards: [id], saved: true });
  const how = page.getByRole('dialog', { name: 'How “Views” was computed' });
  const ask = async (events: string, isKnown: boolean) => {
    await page.getByRole('button', { name: /^Computed/ }).click();
    await how.getByText(events, { exact: true }).waitFor();
    await how.getByText(isKnown ? 'The answer computed then' : 'Computed for this request').waitFor();
    await how.getByText('It counts events.').waitFor();
    await how.getByText(/from events/).waitFor();
    await page.keyboard.press('Escape');
    await how.waitFor({ state: 'detached' });
  };
  await page.goto(`${service.url}${project}/dashboards/${id}`);
  await ask('40 events', false);
  await page.reload();
  await ask('40 events', true);
  await page.getByRole('button', { name: 'More about Views' }).click();
  const computed = page.waitForResponse((answer) => answer.url().includes('refresh=force_blocking'));
  await page.getByRole('menuitem', { name: 'Compute again' }).click();
  expect((await computed).status()).toBe(200);
  await ask('40 events', false);
  // with the filters of the address
  await page.goto(`${service.url}${project}/dashboards/${id}?f=e:country,exact,FR`);
  await ask('10 events', false);
  await page.getByRole('button', { name: /^Computed/ }).click();
  await how.getByText('10 events').waitFor();
  expect((await axe(page)).filter((fault) => !fault.startsWith('moderate region: body > div'))).toEqual([]);
  await page.keyboard.press('Escape');
  expect(problems).toEqual([]);
});

test('the share dialog says who sees it before and after, and shows the embedded page', async () => {
  const { page, project, problems } = await atHome();
  const { id } = await make('dashboards', { name: 'For the board' });
  await service.call('PATCH', `/api/projects/@current/dashboards/${id}/`, {
    body: { tiles: [{ text: { body: 'What the board sees' }, layouts: {} }] },
  });
  await page.goto(`${service.url}${project}/dashboards/${id}`);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share "For the board"' });
  const everybody = 'the one person of the organization';
  await dialog.getByText(`Now: ${everybody}. With the link: anybody who has the link, too.`).waitFor();
  await dialog.getByText('Anyone with the link can see it').click();
  await dialog.getByText(`Now: ${everybody}, and anybody who has the link. Without the link: ${everybody}.`).waitFor();
  await dialog.getByText(`With a password: ${everybody}, and anybody who has the link and a password.`).waitFor();
  await dialog.getByRole('tab', { name: 'Embed' }).click();
  const preview = page.frameLocator('iframe[title="Preview"]');
  await preview.getByText('What the board sees').waitFor();
  const box = await page.locator('iframe[title="Preview"]').boundingBox();
  expect(box?.height).toBeGreaterThan(200);
  await dialog.getByRole('tab', { name: 'Public link' }).click();
  await dialog.getByText('Visitors must give a password').click();
  await dialog.getByText('Shown once:').waitFor();
  await dialog.getByText(`Now: ${everybody}, and anybody who has the link and a password.`, { exact: false }).waitFor();
  await dialog.getByRole('tab', { name: 'Embed' }).click();
  await dialog.getByText(/A page with a password cannot be embedded/).waitFor();
  await dialog.getByRole('tab', { name: 'People' }).click();
  await dialog.getByText('administrator of the organization').waitFor();
  expect(problems).toEqual([]);
});

/** Something that waits until it is released. */
function held() {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { until, release: () => release() };
}

test('a public link is shown once it is stored: who copies it at once has one that opens', async () => {
  const { page, project, problems } = await atHome();
  const { id } = await make('dashboards', { name: 'Copied at once' });
  await page.goto(`${service.url}${project}/dashboards/${id}`);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share "Copied at once"' });
  const onOff = dialog.getByRole('switch', { name: /Anyone with the link/ });
  const link = dialog.getByText(/\/shared\/[\w-]+$/);
  const [turning, on] = ['Turning the link on…', 'The link is on'].map((text) =>
    dialog.getByRole('status').filter({ hasText: text }),
  );
  const [fails, succeeds] = [held(), held()];
  const holds = [fails.until, succeeds.until];
  await page.route('**/sharing/', async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await holds.shift();
    return holds.length > 0 ? route.fulfill({ status: 500, json: { detail: 'The store is away.' } }) : route.continue();
  });
  const shown = async () => [
    await onOff.isChecked(),
    await link.count(),
    await dialog.getByRole('button', { name: 'Copy' }).count(),
  ];

  // the switch is on at once, and a screen reader hears what is going on
  await onOff.click({ force: true });
  await turning?.waitFor();
  expect(await shown()).toEqual([true, 0, 0]);
  fails.release();
  await dialog.getByText('The store is away.').waitFor();
  await expect.poll(shown).toEqual([false, 0, 0]);
  expect(await on?.count()).toBe(0);

  problems.length = 0;
  await onOff.click({ force: true });
  await turning?.waitFor();
  succeeds.release();
  expect((await fetch(String(await link.textContent()))).status).toBe(200);
  await on?.waitFor({ state: 'attached' });
  expect(await shown()).toEqual([true, 1, 1]);
  expect(problems).toEqual([]);
});

test('a recording is shared from its screen, at a time', async () => {
  await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
  await recordCart(service, 'session-1');
  const { page, project } = await atHome();
  await page.goto(`${service.url}${project}/recordings/session-1?t=1`);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share "Session"' });
  await dialog.getByText('Anyone with the link can see it').click();
  await dialog.getByText(/\/shared\/[\w-]+\?t=1$/).waitFor();
  await dialog.getByLabel('Begin at').fill('0:03');
  const link = await dialog.getByText(/\/shared\/[\w-]+\?t=3$/).textContent();
  const visitor = await watchedPage(browser, {});
  await visitor.page.goto(String(link));
  await visitor.page.locator('iframe[title="The recording"][src$="/player?t=3"]').waitFor();
  await page.goto(`${service.url}${project}`);
  await page.getByRole('list', { name: 'Recently viewed' }).getByText('Recording', { exact: true }).waitFor();
});

test('the theme that a person chooses is that of their other browsers', async () => {
  const theme = (page: AppPage) => page.evaluate('document.documentElement.dataset.theme');
  const choose = async (page: AppPage, name: string) => {
    await page.getByRole('button', { name: /^Account of/ }).click();
    const stored = page.waitForResponse(
      (answer) => answer.request().method() === 'PATCH' && answer.url().includes('/api/users/'),
    );
    await page.getByRole('menuitem', { name }).click();
    expect((await stored).status()).toBe(200);
  };
  const first = await atHome();
  expect(await theme(first.page)).toBe('light');
  await choose(first.page, 'Dark');
  expect(await theme(first.page)).toBe('dark');
  const second = await atHome();
  await expect.poll(() => theme(second.page)).toBe('dark');
  await choose(second.page, 'Theme of the system');
  expect(await theme(second.page)).toBe('light');
});

test('dialogs and bars keep the rules of axe in both themes, and fit a phone', async () => {
  const { id } = await make('dashboards', { name: 'Looked at' });
  const source = {
    kind: 'DataVisualizationNode',
    source: { kind: 'HogQLQuery', query: 'select {variables.least}, {variables.since}' },
  };
  await make('insight_variables', { name: 'Least', type: 'Number', default_value: 1 });
  await make('insight_variables', { name: 'Since', type: 'Date', default_value: '2026-01-01' });
  await make('insights', { name: 'Both', query: source, dashboards: [id], saved: true });
  for (const width of [1280, 360]) {
    const { page, project, close } = await loggedIn(browser, service, { width, bypassCSP: true, hasReducedMotion: true });
    const faults = async () => [
      ...(await faultsInBothThemes(page)),
      ...((await isTooWide(page)) ? ['wider than the window'] : []),
    ];
    await page.goto(`${service.url}${project}/dashboards/${id}`);
    await page.getByRole('group', { name: 'Variables' }).waitFor();
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Share' }).click();
    for (const tab of ['Public link', 'Embed', 'People']) {
      await page.getByRole('tab', { name: tab }).click();
      expect([tab, await faults()]).toEqual([tab, []]);
    }
    await page.getByRole('button', { name: 'Close' }).click();
    await more(page, 'Variables');
    await page.getByRole('dialog').getByText('{variables.least}').waitFor();
    expect(await faults()).toEqual([]);
    await page.goto(`${service.url}${project}/dashboards`);
    await page.getByRole('button', { name: 'New dashboard' }).first().click();
    await page.getByRole('radio', { name: 'Retention' }).waitFor();
    expect(await faults()).toEqual([]);
    await close();
  }
});
