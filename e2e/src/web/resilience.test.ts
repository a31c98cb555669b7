import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { type AppPage, loggedIn, settled } from '../testing/app-pages.js';
import { startForStories, storeEvents } from '../testing/start-for-stories.js';

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const batch = Array.from({ length: 40 }, (_, at) => ({
    event: at % 2 === 0 ? '$pageview' : 'signed up',
    distinct_id: `user-${at % 9}`,
    timestamp: new Date(Date.now() - (at % 6) * 86_400_000).toISOString(),
  }));
  await storeEvents(service, batch);
});

const API = '/api/projects/@current';

const numbers = (page: AppPage) => page.getByRole('region', { name: 'Numbers' });

/** Longest turn of the page's main thread since it was loaded, milliseconds: longer ones are felt as a freeze. */
const watchLongTasks = (page: AppPage) =>
  page.addInitScript(`window.longest = 0;
new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration); }).observe({ type: 'longtask', buffered: true });`);

/** Holds the next PATCH of an object back until `release`; later ones pass. */
async function heldSave(page: AppPage, path: string): Promise<{ release: () => void }> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(
    (url) => url.pathname.endsWith(path),
    async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    },
  );
  return { release };
}

async function logInAgain(page: AppPage): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('E-mail').fill(service.account.email);
  await dialog.getByLabel('Password', { exact: true }).fill(service.account.password);
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('a session that ends while somebody edits loses nothing: a log-in covers the screen, and the work continues', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  await page.goto(`${service.url}${project}/flags/new`);
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill('half-typed');
  await page.getByLabel('Percentage of condition 1').fill('35');
  // the session ends elsewhere
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create flag' }).click();
  await logInAgain(page);
  expect(await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue()).toBe('half-typed');
  expect(await page.getByLabel('Percentage of condition 1').inputValue()).toBe('35');
  await page.getByRole('button', { name: 'Create flag' }).click();
  await page.waitForURL(/\/flags\/\d+$/);
  await close();
});

test('a question that was not saved is there after the session has ended and begun anew', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  await page.goto(`${service.url}${project}/insights/new`);
  await numbers(page).getByText('Page view').first().waitFor();
  await page.getByRole('radiogroup', { name: 'Kind of question' }).getByText('Funnel', { exact: true }).click();
  await numbers(page).getByText('Page view').first().waitFor();
  await page.context().clearCookies();
  await page.getByRole('radiogroup', { name: 'Kind of question' }).getByText('Lifecycle', { exact: true }).click();
  await logInAgain(page);
  await numbers(page)
    .getByText(/New|Returning|Dormant/i)
    .first()
    .waitFor();
  await close();
});

test.each([
  { what: 'flag', path: 'flags', api: 'feature_flags', made: { key: 'edited-meanwhile' }, fields: ['Key', 'Description'] },
  {
    what: 'cohort',
    path: 'cohorts',
    api: 'cohorts',
    made: { name: 'Cohort', is_static: true },
    fields: ['Name', 'Description, if you like'],
  },
  {
    what: 'experiment',
    path: 'experiments',
    api: 'experiments',
    made: { name: 'Experiment', feature_flag_key: 'of-an-experiment' },
    fields: ['Name', 'Hypothesis'],
  },
  {
    what: 'survey',
    path: 'surveys',
    api: 'surveys',
    made: { name: 'Survey', questions: [{ type: 'open', question: 'Why?' }] },
    fields: ['Name', 'What it is for'],
  },
])('what is changed while a $what is being saved stays, and is saved by the next save', async ({ path, api, made, fields }) => {
  const { body } = await service.post(`${API}/${api}/`, made);
  const { id } = body as { id: number };
  const { page, problems, close } = await loggedIn(browser, service);
  await page.goto(`${service.url}/p/1/${path}/${id}`);
  const [first, second] = fields.map((name) => page.getByRole('textbox', { name, exact: true }));
  const save = page.getByRole('button', { name: 'Save changes' });
  const saved = await heldSave(page, `/${api}/${id}/`);
  await first?.fill('saved-first');
  await save.click();
  await page.getByRole('button', { name: 'Saving…' }).waitFor();
  await second?.fill('Saved second');
  saved.release();
  await save.waitFor();
  expect([await first?.inputValue(), await second?.inputValue()]).toEqual(['saved-first', 'Saved second']);
  await save.click();
  const stored = async () => Object.values((await service.get(`${API}/${api}/${id}/`)).body as object);
  await expect.poll(stored).toEqual(expect.arrayContaining(['saved-first', 'Saved second']));
  expect(problems).toEqual([]);
  await close();
});

test('what is changed while an insight is being saved stays, and is saved by the next save', async () => {
  const query = { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] } };
  const { body } = await service.post(`${API}/insights/`, { name: 'Edited meanwhile', query });
  const { id, short_id } = body as { id: number; short_id: string };
  const { page, problems, close } = await loggedIn(browser, service);
  await page.goto(`${service.url}/p/1/insights/${short_id}`);
  const kinds = page.getByRole('radiogroup', { name: 'Kind of question' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const saved = await heldSave(page, `/insights/${id}/`);
  await kinds.getByText('Lifecycle', { exact: true }).click();
  await save.click();
  await page.getByRole('button', { name: 'Saving…' }).waitFor();
  await kinds.getByText('Stickiness', { exact: true }).click();
  saved.release();
  await save.waitFor();
  await page.getByRole('radio', { name: 'Stickiness', checked: true }).waitFor({ state: 'attached' });
  await save.click();
  await page.getByRole('button', { name: 'Saved', exact: true }).waitFor();
  expect((await service.get(`${API}/insights/${id}/`)).body).toMatchObject({
    query: { source: { kind: 'StickinessQuery' } },
  });
  expect(problems).toEqual([]);
  await close();
});

test('a log-out in another tab covers this one with the log-in at its next request', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  await page.goto(`${service.url}${project}/insights`);
  await settled(page);
  const other = await page.context().newPage();
  await other.goto(`${service.url}${project}/events`);
  await settled(other);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await other.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboards' }).click();
  // a screen that needs an answer leads to a log-in, over it or instead of it
  await other.getByLabel('Password', { exact: true }).waitFor();
  expect(await other.getByRole('link', { name: 'Untitled' }).count()).toBe(0);
  await close();
});

test('a service that is restarted while the app is open is found again, and the screen stays', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  await page.goto(`${service.url}${project}/insights/new`);
  await numbers(page).getByText('Page view').first().waitFor();
  await service.stop();
  await page.getByRole('radiogroup', { name: 'Kind of question' }).getByText('Stickiness', { exact: true }).click();
  // the question stays, and a clear word says what is wrong
  await page
    .getByText(/does not respond|No answer|could not/i)
    .first()
    .waitFor();
  await service.restart();
  const again = page.getByRole('button', { name: 'Try again' }).first();
  if (await again.isVisible()) await again.click();
  await numbers(page).getByText('Page view').first().waitFor();
  expect(page.url()).toContain('Stickiness');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events' }).click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await settled(page);
  await close();
});

test('a menu whose code cannot be loaded says so, and the screen with what was typed stays', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  const code = /\/MenuPop-[^/]+\.js$/;
  await page.route(code, (route) => route.abort());
  await page.goto(`${service.url}${project}/flags/new`);
  const key = page.getByRole('textbox', { name: 'Key', exact: true });
  await key.fill('half-typed');
  const account = page.getByRole('button', { name: /^Account of/ });
  await account.click();
  await page.getByText('This needs the page to be loaded anew.').waitFor();
  expect(await key.inputValue()).toBe('half-typed');
  await page.unroute(code);
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Load it' }).click()]);
  await account.click();
  await page.getByRole('menuitem', { name: 'Log out' }).waitFor();
  await close();
});

test('a screen that is opened while the service is away says so, and is there after a second try', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  await page.goto(`${service.url}${project}/dashboards`);
  await settled(page);
  // until then a page takes it that the service which sent it responds
  await expect.poll(() => page.evaluate<number>('performance.now()'), { interval: 1_000 }).toBeGreaterThan(10_000);
  await service.stop();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Cohorts' }).click();
  const fault = page.getByRole('alert').filter({ hasText: 'This screen could not be loaded' });
  await fault.getByText('The service does not respond.').waitFor();
  await service.restart();
  await fault.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cohorts' }).waitFor();
  await settled(page);
  await page.getByRole('link', { name: 'New cohort' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await close();
});

/** Networks of the developer tools: milliseconds, kilobits a second. */
const NETWORKS = {
  '3G': { latency: 100, down: 750, up: 250 },
  'slow 3G': { latency: 2_000, down: 400, up: 400 },
};

/** Loads everything over a slow network, and nothing from a cache. */
async function throttle(page: AppPage, network: keyof typeof NETWORKS): Promise<void> {
  const { latency, down, up } = NETWORKS[network];
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: (down * 1024) / 8,
    uploadThroughput: (up * 1024) / 8,
  });
}

test('over slow 3G the numbers before stay until the new ones are there, which takes how long it takes, and a save is sent once', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  await watchLongTasks(page);
  await page.goto(`${service.url}${project}/insights/new`);
  await numbers(page).getByText('Page view').first().waitFor();
  const chart = page.locator('.chart svg').first();
  await chart.waitFor();
  await throttle(page, 'slow 3G');
  await page.getByRole('radiogroup', { name: 'Kind of question' }).getByText('Stickiness', { exact: true }).click();
  await page
    .getByRole('status')
    .getByText(/^Computing for \d/)
    .waitFor();
  expect(await page.locator('[aria-busy=true]').count()).toBe(1);
  expect(await chart.isVisible()).toBe(true);
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
  await expect.poll(() => page.getByText(/^Computing for \d/).count()).toBe(0);

  const name = `Saved over a slow network ${Date.now()}`;
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Save insight' }).dblclick();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const { body } = await service.get(`/api/environments/@current/insights/?search=${encodeURIComponent(name)}`);
  expect(body).toMatchObject({ count: 1 });
  expect(await page.evaluate<number>('window.longest')).toBeLessThan(1_000);
  await close();
});

test('over 3G the first screen appears, and nothing freezes', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  await watchLongTasks(page);
  await throttle(page, '3G');
  const began = performance.now();
  await page.goto(`${service.url}${project}/dashboards`);
  await page.getByRole('heading', { level: 1, name: 'Dashboards' }).waitFor();
  const seconds = (performance.now() - began) / 1_000;
  console.log(`First screen over 3G without a cache: ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(30);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Insights' }).click();
  await page.getByRole('heading', { level: 1, name: 'Insights' }).waitFor();
  // a second of work of the page: the limit is for machines that stall, the bench holds the real one
  expect(await page.evaluate<number>('window.longest')).toBeLessThan(1_000);
  await close();
});
