// npm run bench -- app [PART …] [--data DIR] [--trace FILE] [--no-gate]: the web app over 1M events (EVENTS=10000000: 10M), in Chromium: what a first load weighs
// (loads), how long people wait (waits), whether lists scroll smoothly (live, lists), and what memory many clicks need (memory). Without a
// part: all of them. `--trace`: a last log-in of `waits` is traced; its longest tasks are printed with what they were spent on.
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { frameTimes, longestTask, watchPage } from './app/frames.js';
import { capturePersons, DASHBOARDS, EVENTS, FLAGS, makeObjects, PERSONS } from './app/seed.js';
import { traced } from './app/trace.js';
import { seededData } from './data.js';
import { type Figure, finish, report } from './report.js';

const ROUNDS = 7;
const CLICK_ROUNDS = Number(process.env['ROUNDS'] ?? 60);
const LIVE_SECONDS = 15;
/** Frames that take longer than three of 60 Hz are seen as a jerk. */
const JERK_MS = 50;
/** After this time a screen has loaded what it may need next. */
const LATER_MS = 5_000;

type Page = Awaited<ReturnType<Browser['newPage']>>;

type Measure = (service: Service, browser: Browser, dashboard: number) => Promise<Figure[]>;
const PARTS: Record<string, Measure> = { loads: firstLoads, waits, live: liveList, lists: longLists, memory };
const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, trace: { type: 'string' }, 'no-gate': { type: 'boolean' } },
});
const unknown = wanted.find((name) => !(name in PARTS));
if (unknown) throw new Error(`${unknown} is none of ${Object.keys(PARTS).join(', ')}`);

const { dataDir, remove } = await seededData({ events: EVENTS, persons: PERSONS }, options.data ?? null);
let met = false;
try {
  const browser = await launchBrowser();
  const service = await startService({ dataDir });
  try {
    await capturePersons(service);
    const dashboard = await makeObjects(service);
    const names = wanted.length > 0 ? wanted : Object.keys(PARTS);
    const results: boolean[] = [];
    // each part is printed when it is there: a later one may fail
    for (const name of names) results.push(await measurePart(name, service, browser, dashboard));
    met = results.every(Boolean);
  } finally {
    await browser.close();
    await service.close();
  }
} finally {
  await remove();
}
finish(met);

/** Prints the figures of a part. @returns whether all targets were met; a part that failed has missed them */
async function measurePart(name: string, service: Service, browser: Browser, dashboard: number): Promise<boolean> {
  try {
    const figures = (await PARTS[name]?.(service, browser, dashboard)) ?? [];
    return report(`The web app over ${EVENTS.toLocaleString('en')} events: ${name}`, figures);
  } catch (error) {
    console.error(`The part ${name} failed:`, error);
    for (const context of browser.contexts()) await context.close();
    return false;
  }
}

async function logIn(service: Service, page: Page, next: string): Promise<void> {
  await page.goto(`${service.url}/login?next=${encodeURIComponent(next)}`);
  await page.getByLabel('E-mail').fill(service.account.email);
  await page.getByLabel('Password', { exact: true }).fill(service.account.password);
}

async function loggedInPage(service: Service, browser: Browser): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await watchPage(page);
  await logIn(service, page, '/');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(/\/p\/\d+/);
  await settled(page);
  return page;
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // the live list of events never ends
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {});
}

/** Bytes of the scripts that screens load at first, as they are sent. */
async function firstLoads(service: Service, browser: Browser, dashboard: number): Promise<Figure[]> {
  const screens: [name: string, path: string, below: number][] = [
    ['log-in', '/login', 200],
    ['list of flags', '/p/1/flags', 200],
    ['insight builder', '/p/1/insights/new', 450],
    ['dashboard', `/p/1/dashboards/${dashboard}`, 450],
  ];
  const figures: Figure[] = [];
  for (const [name, path, below] of screens) {
    const page = path === '/login' ? await browser.newPage() : await loggedInPage(service, browser);
    const scripts = new Set<string>();
    page.on('request', (request) => request.resourceType() === 'script' && scripts.add(new URL(request.url()).pathname));
    await page.goto(service.url + path);
    await settled(page);
    const first = new Set(scripts);
    await sleep(LATER_MS);
    const later = new Set([...scripts].filter((path) => !first.has(path)));
    const [gzip = 0, brotli = 0] = await Promise.all(['gzip', 'br'].map((encoding) => sizeOf(service, first, encoding)));
    figures.push(
      { name: `scripts of the first load, ${name}, gzip`, value: gzip, unit: 'KB', below },
      { name: '  Brotli', value: brotli, unit: 'KB' },
      {
        name: '  menus and dialogs, once the screen has stood for a while, gzip',
        value: await sizeOf(service, later, 'gzip'),
        unit: 'KB',
      },
    );
    await page.context().close();
  }
  return figures;
}

async function sizeOf(service: Service, paths: ReadonlySet<string>, encoding: string): Promise<number> {
  const sizes = await Promise.all(
    [...paths].map(
      (path) =>
        new Promise<number>((resolve, reject) => {
          get(service.url + path, { headers: { 'accept-encoding': encoding } }, (response) => {
            let size = 0;
            response.on('data', (chunk: Buffer) => {
              size += chunk.length;
            });
            response.on('end', () => resolve(size));
          }).on('error', reject);
        }),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

/** What people wait for: a dashboard after the log-in, and a chart after a change. */
async function waits(service: Service, browser: Browser, dashboard: number): Promise<Figure[]> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await watchPage(page);
  const drawn: number[] = [];
  const tasks: number[] = [];
  // the first round fills the caches of browser and service
  for (let round = 0; round <= ROUNDS; round++) {
    await page.context().clearCookies();
    await logIn(service, page, `/p/1/dashboards/${dashboard}`);
    const began = performance.now();
    const draw = async () => {
      await page.getByRole('button', { name: 'Log in' }).click();
      await page
        .getByText(/^Computed/)
        .nth(5)
        .waitFor();
    };
    if (round === ROUNDS && options.trace !== undefined) {
      await traced(browser, page, options.trace, draw);
      break;
    }
    await draw();
    if (round > 0) drawn.push(performance.now() - began);
    if (round > 0) tasks.push(await longestTask(page));
  }
  const filtered: number[] = [];
  // dates that nobody asked for before, so that no cache answers
  for (const dates of ['Last 7 days', 'Last 14 days', 'This month', 'Last 90 days', 'Last 180 days']) {
    await page.getByRole('button', { name: /^Dates:/ }).click();
    const answers = tileAnswers(page, 6);
    const began = performance.now();
    await page.getByRole('dialog', { name: 'Dates' }).getByRole('button', { name: dates }).click();
    await answers;
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    filtered.push(performance.now() - began);
  }
  const filteringTask = await longestTask(page);
  const changed: number[] = [];
  const numbers = page.getByRole('region', { name: 'Numbers' });
  for (let round = 0; round <= ROUNDS; round++) {
    // a question that nobody asked before, so that no cache answers
    await page.goto(`${service.url}/p/1/insights/new?q=${encodeURIComponent(freshQuestion(round))}`);
    await numbers.getByText('Page view').first().waitFor();
    await page.getByRole('button', { name: 'Breakdown' }).click();
    const browsers = page.getByRole('option', { name: /^Browser/ }).first();
    await browsers.waitFor();
    const began = performance.now();
    await browsers.click();
    await numbers.getByText('Firefox').first().waitFor();
    if (round > 0) changed.push(performance.now() - began);
    else await longestTask(page);
  }
  const longest = await longestTask(page);
  await page.context().close();
  return [
    { name: 'log-in to drawn dashboard of 6 tiles, warm, median', value: median(drawn), unit: 'ms', below: 1_000 },
    { name: '  longest task of the page', value: Math.max(...tasks), unit: 'ms', below: 100 },
    { name: 'other dates of the dashboard to its 6 new charts, median', value: median(filtered), unit: 'ms' },
    { name: '  longest task of the page', value: filteringTask, unit: 'ms', below: 100 },
    { name: 'breakdown of a new question to its new chart, median', value: median(changed), unit: 'ms', below: 400 },
    { name: '  longest task of the page', value: longest, unit: 'ms', below: 100 },
  ];
}

/** Resolves when so many tiles of a dashboard have their answers. */
function tileAnswers(page: Page, count: number): Promise<void> {
  return new Promise((resolve) => {
    let open = count;
    const note = (response: { url(): string; finished(): Promise<unknown> }) => {
      if (!/\/insights\/\d+\/\?/.test(response.url())) return;
      void response.finished().then(() => {
        if (--open > 0) return;
        page.off('response', note);
        resolve();
      });
    };
    page.on('response', note);
  });
}

function freshQuestion(days: number): string {
  return JSON.stringify({
    kind: 'TrendsQuery',
    dateRange: { date_from: `-${20 + days}d` },
    series: [{ kind: 'EventsNode', event: '$pageview', name: '$pageview', math: 'total' }],
  });
}

/** The live list of events while 50 arrive each second. */
async function liveList(service: Service, browser: Browser): Promise<Figure[]> {
  const page = await loggedInPage(service, browser);
  await page.goto(`${service.url}/p/1/events`);
  await settled(page);
  await longestTask(page);
  let isOver = false;
  let sent = 0;
  const sending = (async () => {
    while (!isOver) {
      const batch = Array.from({ length: 5 }, () => ({
        event: 'live',
        distinct_id: `user-${sent++ % 50}`,
        properties: { at: sent },
      }));
      await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } });
      await sleep(100);
    }
  })();
  await page.getByText('live', { exact: true }).first().waitFor();
  const frames = await frameTimes(page, LIVE_SECONDS * 1_000);
  isOver = true;
  await sending;
  const longest = await longestTask(page);
  await page.context().close();
  return [
    ...frameFigures(`live list at 50 events/s, ${LIVE_SECONDS} s`, frames),
    { name: '  longest task of the page', value: longest, unit: 'ms', below: 100 },
  ];
}

function frameFigures(name: string, frames: readonly number[]): Figure[] {
  return [
    { name: `${name}: frames`, value: frames.length, unit: '' },
    {
      name: `  share of frames over ${JERK_MS} ms`,
      value: (100 * frames.filter((ms) => ms > JERK_MS).length) / frames.length,
      unit: '%',
      below: 1,
    },
    { name: '  longest frame', value: Math.max(...frames), unit: 'ms' },
  ];
}

/** Scrolls lists of thousands, a page in four frames. */
async function longLists(service: Service, browser: Browser): Promise<Figure[]> {
  const figures: Figure[] = [];
  const lists: [name: string, path: string][] = [
    [`${FLAGS.toLocaleString('en')} flags`, '/flags'],
    [`${DASHBOARDS} dashboards`, '/dashboards'],
    [`${PERSONS.toLocaleString('en')} persons`, '/persons'],
  ];
  for (const [name, path] of lists) {
    const page = await loggedInPage(service, browser);
    const began = performance.now();
    await page.goto(`${service.url}/p/1${path}`);
    await page.getByRole('main').getByRole('link').nth(5).waitFor();
    const shown = performance.now() - began;
    await longestTask(page);
    const frames = await frameTimes(page, 5_000, 200);
    const elements = await page.evaluate<number>('document.querySelectorAll("*").length');
    figures.push(
      { name: `${name}: list shown after`, value: shown, unit: 'ms' },
      ...frameFigures(`${name}, scrolled for 5 s`, frames),
      { name: '  longest task of the page', value: await longestTask(page), unit: 'ms', below: 100 },
      { name: '  elements of the page', value: elements, unit: '' },
    );
    await page.context().close();
  }
  return figures;
}

/** The heap after many rounds through the screens, beside that after the first ones. */
async function memory(service: Service, browser: Browser): Promise<Figure[]> {
  const page = await loggedInPage(service, browser);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const heap = async () => {
    await cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await cdp.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN) / 1e6;
  };
  const navigation = page.getByRole('navigation', { name: 'Main' });
  const round = async () => {
    for (const name of ['Home', 'Events', 'Dashboards', 'Insights', 'Persons', 'Flags']) {
      await navigation.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1 }).first().waitFor();
    }
    await navigation.getByRole('link', { name: 'Dashboards', exact: true }).click();
    await page.getByRole('link', { name: 'Six tiles' }).click();
    await page.getByRole('link', { name: 'Tile 6' }).waitFor();
  };
  for (let at = 0; at < 5; at++) await round();
  const first = await heap();
  for (let at = 0; at < CLICK_ROUNDS; at++) await round();
  const last = await heap();
  await page.context().close();
  return [
    { name: 'heap after 5 rounds through 8 screens', value: first, unit: 'MB' },
    { name: `heap after ${CLICK_ROUNDS} more`, value: last, unit: 'MB', below: 150 },
    { name: '  growth per round', value: ((last - first) / CLICK_ROUNDS) * 1_000, unit: 'KB', below: 300 },
  ];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
