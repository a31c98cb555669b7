// Draws the web app with its sample data: three pictures for the README, or every screen in each of its states.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchBrowser, startService } from '../packages/testkit/dist/index.js';

/** @typedef {Awaited<ReturnType<typeof startService>>} Service @typedef {Awaited<ReturnType<typeof launchBrowser>>} Browser */
/** @typedef {Awaited<ReturnType<Browser['newPage']>>} Page @typedef {'light' | 'dark'} Theme @typedef {'full' | 'phone' | 'empty' | 'error' | 'forbidden'} State */

/** @type {Theme[]} */
const THEMES = ['light', 'dark'];

/** Draws the pictures of the README, each in both themes. @param {string} folder */
export async function drawAppPictures(folder) {
  const service = await startService();
  const browser = await launchBrowser();
  try {
    const dashboard = await loadSample(service);
    /** @type {[string, string][]} */
    const pictures = [
      ['dashboard', `/dashboards/${dashboard}?from=-30d&to=-1d`],
      ['insight', `/insights/new?q=${encodeURIComponent(QUESTION)}`],
      ['flags', '/flags'],
    ];
    for (const theme of THEMES) {
      const page = await logIn(browser, service, theme, { width: 1280, height: 800, scale: 1.5 });
      for (const [name, path] of pictures) {
        await open(page, `${service.url}/p/1${path}`);
        const file = join(folder, `app-${name}-${theme}.png`);
        await page.screenshot({ path: file });
        console.log(file);
      }
      await page.context().close();
    }
  } finally {
    await browser.close();
    await service.close();
  }
}

/** The question of the picture: visitors by browser over a month. */
const QUESTION = JSON.stringify({
  kind: 'TrendsQuery',
  // whole days: today has hardly begun
  dateRange: { date_from: '-30d', date_to: '-1d' },
  series: [{ kind: 'EventsNode', event: '$pageview', name: '$pageview', math: 'dau' }],
  breakdownFilter: { breakdowns: [{ property: '$browser', type: 'event' }] },
});

/** Loads the sample data of the service into its project. @param {Service} service @returns {Promise<number>} its dashboard */
async function loadSample(service) {
  const path = '/api/environments/@current/sample_data/';
  await service.post(path, {});
  for (;;) {
    const { body } = await service.get(path);
    const { state, error, dashboard_id } = /** @type {{ state: string, error: string | null, dashboard_id: number }} */ (body);
    if (state === 'loaded') return dashboard_id;
    if (state === 'failed') throw new Error(`The sample data could not be loaded: ${error}`);
    await sleep(200);
  }
}

/**
 * @param {Browser} browser
 * @param {Service} service
 * @param {Theme} colorScheme
 * @param {{ width: number, height: number, scale: number }} size
 * @param {{ email: string, password: string }} account
 * @returns {Promise<Page>}
 */
async function logIn(browser, service, colorScheme, { width, height, scale }, account = service.account) {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(`${service.url}/login`);
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(/\/p\/\d+/);
  return page;
}

/** Opens an address, and waits until nothing on the screen is loading. @param {Page} page @param {string} url */
async function open(page, url) {
  await page.goto(url);
  await page.locator('h1, [role=alert]').first().waitFor();
  // the live list of events never ends
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
  const loading = page.getByRole('status', { name: 'Loading' });
  for (let waits = 0; waits < 100 && (await loading.count()) > 0; waits++) await sleep(200);
  await sleep(200);
}

/** Paths of all links of a page within a project. @param {Page} page @returns {Promise<string[]>} */
const linksOf = (page) =>
  page.evaluate(`[...document.querySelectorAll('a[href^="/p/"]')].map(({ href }) => new URL(href).pathname)`);

/** The screen of a path, which is the same for all objects. @param {string} path */
const screenOf = (path) =>
  path
    .replace(/\/insights\/(?!(new|alerts)$)[^/]+/, '/insights/:id')
    .replace(/\/groups\/\d+\/[^/]+/, '/groups/:id')
    .replace(/\/(\d+|[0-9a-f-]{36})(?=\/|$)/g, '/:id');

/** @type {State[]} */
const STATES = ['full', 'phone', 'empty', 'error', 'forbidden'];

/**
 * Draws every screen that a link leads to in each of its states, and sheets of them.
 * @param {string} folder @param {string[]} only states and themes to draw, such as `['phone', 'light']`; without any, all
 */
export async function drawAppScreens(folder, only = []) {
  await mkdir(folder, { recursive: true });
  const browser = await launchBrowser();
  const [full, empty] = await Promise.all([startService(), startService()]);
  try {
    await loadSample(full);
    const alert = await addAlert(full);
    const paths = [...(await findScreens(browser, full)), ...alert];
    const lists = paths.filter((path) => !screenOf(path.replace(/^\/p\/\d+/, '')).includes(':id'));
    const viewer = await inviteForbidden(full);
    for (const theme of chosen(THEMES, only)) {
      for (const state of chosen(STATES, only)) {
        const isEmpty = state === 'empty';
        const account = state === 'forbidden' ? viewer : undefined;
        await drawState(browser, isEmpty ? empty : full, theme, state, isEmpty ? lists : paths, folder, account);
      }
    }
  } finally {
    await browser.close();
    await Promise.all([full.close(), empty.close()]);
  }
}

/** Those of some values that are asked for; all without any. @template {string} Value @param {Value[]} values @param {string[]} only */
function chosen(values, only) {
  const found = values.filter((value) => only.includes(value));
  return found.length > 0 ? found : values;
}

/** @param {Browser} browser @param {Service} service @returns {Promise<string[]>} one path per screen */
async function findScreens(browser, service) {
  const page = await logIn(browser, service, 'light', { width: 1280, height: 800, scale: 1 });
  const queue = ['/p/1'];
  /** @type {Map<string, string>} */
  const found = new Map();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const screen = screenOf(path);
    if (found.has(screen)) continue;
    found.set(screen, path);
    await open(page, service.url + path);
    queue.push(...(await linksOf(page)));
  }
  await page.context().close();
  return [...found.values()];
}

/** Adds an alert that fires to an insight of the sample. @param {Service} service @returns {Promise<string[]>} the paths that show it */
async function addAlert(service) {
  const path = '/api/environments/@current/insights/?search=Visitors';
  const { results } = /** @type {{ results: { id: number, short_id: string }[] }} */ ((await service.get(path)).body);
  const [insight] = results;
  if (!insight) throw new Error('The sample data has no insight about visitors.');
  const made = await service.post('/api/environments/@current/alerts/', {
    name: 'Too many visitors',
    insight: insight.id,
    condition: { type: 'absolute_value' },
    threshold: { configuration: { type: 'absolute', bounds: { upper: 100 } } },
    webhook_url: 'https://hooks.example.com/services/T0/B0/secret',
  });
  const { id } = /** @type {{ id: string }} */ (made.body);
  return ['list', 'new', id].map((shown) => `/p/1/insights/${insight.short_id}?alert=${shown}`);
}

/** Somebody who may see as little as rules allow. @param {Service} service */
async function inviteForbidden(service) {
  const me = /** @type {{ organization: { id: string } }} */ ((await service.get('/api/users/@me/')).body);
  const account = { email: 'viewer@example.com', password: 'correct horse of a viewer' };
  const invite = await service.post(`/api/organizations/${me.organization.id}/invites/`, { target_email: account.email });
  const { id } = /** @type {{ id: string }} */ (invite.body);
  const body = { first_name: 'Vera', password: account.password };
  await service.call('POST', `/api/signup/${id}/`, { key: null, body });
  const resources = [
    'dashboard',
    'insight',
    'feature_flag',
    'session_recording',
    'experiment',
    'survey',
    'cohort',
    'person',
    'export',
  ];
  // a resource without rules of its own refuses them
  for (const resource of resources)
    await service.call('PUT', '/api/environments/@current/resource_access_controls/', {
      body: { resource, access_level: 'none' },
    });
  return account;
}

/** Pixels of a screen that are drawn below the window; longer lists are cut there. */
const MOST_HIDDEN = 1_600;

/** Pixels by which the longest part of a screen can be scrolled. @param {Page} page @returns {Promise<number>} */
const hiddenBelow = (page) =>
  page.evaluate(`Math.max(0, ...[...document.querySelectorAll('main, main *')]
    .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowY) && one.clientHeight > 200)
    .map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight))`);

/** What the frame of every screen needs, and no screen alone. */
const FRAME = /\/api\/(session|users\/(@|%40)me|projects\/\d+|environments\/\d+)\/(\?|$)|_preflight/;

/**
 * @param {Browser} browser
 * @param {Service} service
 * @param {Theme} theme
 * @param {State} state
 * @param {string[]} paths
 * @param {string} folder
 * @param {{ email: string, password: string }} [account]
 */
async function drawState(browser, service, theme, state, paths, folder, account) {
  const size = state === 'phone' ? { width: 360, height: 740 } : { width: 1280, height: 800 };
  const page = await logIn(browser, service, theme, { ...size, scale: 1 }, account);
  if (state === 'error')
    await page.route(/\/api\//, (route) =>
      FRAME.test(route.request().url())
        ? route.continue()
        : route.fulfill({
            status: 500,
            json: { type: 'server_error', code: 'error', detail: 'The service failed.', attr: null },
          }),
    );
  /** @type {string[]} */
  const files = [];
  for (const path of paths) {
    const [place = '', panel] = path.split('?alert=');
    const name = screenOf(place)
      .replace(/^\/p\/:id/, 'home')
      .replace('home/', '')
      .replaceAll(/\W+/g, '-');
    const opened = panel === undefined ? '' : `-${['list', 'new'].includes(panel) ? panel : 'one'}-alert`;
    const file = `${name}${opened}-${state}-${theme}.png`;
    await open(page, service.url + path).catch((/** @type {Error} */ error) => console.error(`${path}: ${error.message}`));
    const hidden = await hiddenBelow(page);
    if (hidden > 0 && hidden < MOST_HIDDEN) await page.setViewportSize({ ...size, height: size.height + hidden });
    await page.screenshot({ path: join(folder, file) });
    await page.setViewportSize({ width: size.width, height: size.height });
    files.push(file);
  }
  await page.context().close();
  await drawSheets(browser, folder, `${state}-${theme}`, files, state === 'phone' ? 6 : 3);
}

/** @param {Browser} browser @param {string} folder @param {string} name @param {string[]} files @param {number} columns of a sheet */
async function drawSheets(browser, folder, name, files, columns) {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1300 } });
  const onASheet = columns === 3 ? 9 : 12;
  for (let at = 0; at < files.length; at += onASheet) {
    const figures = await Promise.all(
      files.slice(at, at + onASheet).map(async (file) => {
        const data = (await readFile(join(folder, file))).toString('base64');
        return `<figure><figcaption>${file}</figcaption><img src="data:image/png;base64,${data}"></figure>`;
      }),
    );
    const style = `body{margin:8px;display:grid;align-items:start;grid-template-columns:repeat(${columns},1fr);gap:8px;font:12px sans-serif;background:#888}figure{margin:0}img{width:100%}`;
    await page.setContent(`<style>${style}</style>${figures.join('')}`);
    const file = join(folder, `sheet-${name}-${at / onASheet + 1}.png`);
    await writeFile(file, await page.screenshot({ fullPage: true }));
    console.log(file);
  }
  await page.close();
}
