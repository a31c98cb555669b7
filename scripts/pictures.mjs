// `npm run pictures`: draws the pictures of the documentation: the app with its sample data, and the public page of a made-up shop.
// `npm run pictures -- app`: draws every screen of the app, in both themes, full, on a phone, empty, failing and without permission, to look
// at; `npm run pictures -- app phone light` draws some of it.
import { join } from 'node:path';
import { checkNode } from './node-version.mjs';

checkNode();
const { buildAll } = await import('./compile.mjs');
const { install } = await import('./install.mjs');
const { root } = await import('./run.mjs');
await install('1/3');
await buildAll('2/3');
console.log('[3/3] Drawing');
const { launchBrowser, pick, randomFrom, startService, uuidFrom } = await import('../packages/testkit/dist/index.js');
const { drawAppPictures, drawAppScreens } = await import('./app-pictures.mjs');

const DAYS = 61;
const VISITORS_PER_DAY = 120;
const DAY_MS = 86_400_000;
/** Events in one request. */
const BATCH = 1_000;
/** Each visit goes through these as far as its luck goes: name, page, share of visits that continue. */
const STEPS = /** @type {const} */ ([
  ['$pageview', '/', 1],
  ['$pageview', '/products', 0.7],
  ['product viewed', '/products/kettle', 0.62],
  ['added to cart', '/cart', 0.45],
  ['order placed', '/thank-you', 0.55],
]);
/** @type {[string, ...string[]]} */
const SOURCES = ['google.com', 'google.com', 'news.example', 'friends.example', '$direct'];

if (process.argv[2] === 'app') {
  await drawAppScreens(join(root, '.cache/app/screens'), process.argv.slice(3));
  process.exit();
}
await drawAppPictures(join(root, 'docs'));
const service = await startService();
const browser = await launchBrowser();
try {
  await capture(visits());
  await screenshot(`${service.url}/shared/${await publicDashboard()}`, join(root, 'docs/public-dashboard.png'));
} finally {
  await browser.close();
  await service.close();
}

/** @returns {{ event: string, timestamp: string, uuid: string, distinct_id: string, properties: Record<string, unknown> }[]} */
function visits() {
  const random = randomFrom(7);
  const now = Date.now();
  const events = [];
  for (let day = DAYS; day > 0; day--) {
    const start = Math.floor((now - day * DAY_MS) / DAY_MS) * DAY_MS;
    const weekend = [0, 6].includes(new Date(start).getUTCDay());
    // a shop that grows, with quiet weekends
    const count = VISITORS_PER_DAY * (1.6 - day / DAYS) * (weekend ? 0.6 : 1) * (0.9 + random() * 0.2);
    for (let visit = 0; visit < count; visit++) {
      // visitors who came lately come back more often than those of long ago
      const visitor = Math.floor((DAYS - day) * 40 + random() ** 2 * -900 + random() * 500);
      let time = start + random() * DAY_MS * 0.95;
      for (const [event, path, share] of STEPS) {
        if (random() > share) break;
        const source = pick(random, SOURCES);
        const properties = {
          $pathname: path,
          $current_url: `https://shop.example${path}`,
          $referring_domain: source,
          price: 20 + Math.floor(random() * 60),
        };
        events.push({
          event,
          timestamp: new Date(time).toISOString(),
          uuid: uuidFrom(random),
          distinct_id: `visitor ${visitor}`,
          properties,
        });
        time += 20_000 + random() * 90_000;
      }
    }
  }
  return events;
}

/** @param {ReturnType<typeof visits>} events */
async function capture(events) {
  for (let at = 0; at < events.length; at += BATCH) {
    const body = { api_key: service.account.projectKey, historical_migration: true, batch: events.slice(at, at + BATCH) };
    const { status } = await service.call('POST', '/batch/', { key: null, body });
    if (status !== 200) throw new Error(`/batch/ answered ${status}`);
  }
}

/** @param {number} days @returns {string} a date, such as `2026-11-24` */
function daysAgo(days) {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** @returns {Promise<string>} the token of its public page */
async function publicDashboard() {
  const api = '/api/projects/@current';
  const { id } = await created(`${api}/dashboards/`, { name: 'Shop', description: 'How many people come, and what they buy.' });
  const trend = (/** @type {object} */ series, /** @type {object} */ rest = {}) => ({
    kind: 'TrendsQuery',
    // whole days: today has hardly begun
    dateRange: { date_from: daysAgo(30), date_to: daysAgo(1) },
    series: [{ kind: 'EventsNode', ...series }],
    ...rest,
  });
  const number = { trendsFilter: { display: 'BoldNumber' }, compareFilter: { compare: true } };
  /** @type {[name: string, source: object, width: number, height: number][]} */
  const tiles = [
    ['Visitors', trend({ event: '$pageview', math: 'dau' }, number), 4, 2],
    ['Orders', trend({ event: 'order placed' }, number), 4, 2],
    ['Revenue', trend({ event: 'order placed', math: 'sum', math_property: 'price' }, number), 4, 2],
    ['Visitors by day', trend({ event: '$pageview', math: 'dau' }), 6, 5],
    [
      'From the start page to an order',
      {
        kind: 'FunnelsQuery',
        dateRange: { date_from: daysAgo(30), date_to: daysAgo(1) },
        series: ['$pageview', 'product viewed', 'added to cart', 'order placed'].map((event) => ({ kind: 'EventsNode', event })),
      },
      6,
      5,
    ],
    [
      'Where visitors come from',
      trend(
        { event: '$pageview', math: 'dau' },
        {
          breakdownFilter: { breakdown: '$referring_domain' },
          trendsFilter: { display: 'ActionsBarValue' },
        },
      ),
      6,
      5,
    ],
    [
      'Visitors who come back',
      {
        kind: 'RetentionQuery',
        dateRange: { date_from: '-42d' },
        retentionFilter: {
          period: 'Week',
          totalIntervals: 6,
          targetEntity: { id: '$pageview', type: 'events' },
          returningEntity: { id: '$pageview', type: 'events' },
        },
      },
      6,
      5,
    ],
  ];
  let x = 0;
  let y = 0;
  /** @type {{ x: number, y: number, w: number, h: number }[]} */
  const layouts = [];
  for (const [name, source, w, h] of tiles) {
    await created(`${api}/insights/`, { name, query: { kind: 'InsightVizNode', source }, dashboards: [id] });
    layouts.push({ x, y, w, h });
    x += w;
    if (x >= 12) {
      x = 0;
      y += h;
    }
  }
  const dashboard = /** @type {{ tiles: { id: number }[] }} */ ((await service.get(`${api}/dashboards/${id}/`)).body);
  const placed = dashboard.tiles.map((tile, index) => ({ id: tile.id, layouts: { sm: layouts[index] } }));
  await service.call('PATCH', `${api}/dashboards/${id}/`, { body: { tiles: placed } });
  const { body } = await service.call('PATCH', `${api}/dashboards/${id}/sharing/`, { body: { enabled: true } });
  return /** @type {{ access_token: string }} */ (body).access_token;
}

/** @param {string} path @param {object} body @returns {Promise<{ id: number }>} */
async function created(path, body) {
  const answer = await service.post(path, body);
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return /** @type {{ id: number }} */ (answer.body);
}

/** @param {string} url @param {string} file */
async function screenshot(url, file) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1.5 });
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.screenshot({ path: file, fullPage: true });
  console.log(file);
}
