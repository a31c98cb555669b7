import { createServer, type Server } from 'node:http';
import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe, COLOR_RULES, isTooWide, keepPicture as keep, PICTURES, type Visit, watchedPage } from './testing/public-pages.js';

const PROJECT = '/api/projects/@current';

let service: Service;
let browser: Browser;
let dashboard: number;
let token: string;
let odd = '';

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await sendEvents();
  dashboard = await makeDashboard();
  token = await share({ enabled: true });
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

async function open({ path = `/shared/${token}`, ...how }: Visit & { path?: string } = {}) {
  const watched = await watchedPage(browser, how);
  const answer = await watched.page.goto(service.url + path);
  return { ...watched, status: answer?.status() };
}

/** Visible charts: the width of each and the height of its smallest letters, pixels. */
const CHARTS = `[...document.querySelectorAll('.chart')].map((chart) => {
  const shown = [...chart.querySelectorAll('svg')].filter((svg) => svg.getBoundingClientRect().width > 0);
  const svg = shown[0];
  const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 0;
  const sizes = svg ? [...svg.querySelectorAll('text')].map((text) => Number.parseFloat(text.getAttribute('font-size')) * scale) : [];
  return { shown: shown.length, letters: Math.min(...sizes) };
})`;

test('a public dashboard shows all tiles without JavaScript, in one request besides those of its font', async () => {
  const { page, requests, status, close } = await open({ hasScript: false });
  expect(status).toBe(200);
  expect(await page.locator('h1').textContent()).toBe('How the shop is doing');
  expect(await page.locator('.tile').count()).toBe(9);
  expect(await page.locator('.chart svg:visible').count()).toBe(4);
  const isFont = (url: string) => url.startsWith(`${service.url}/static/inter-`);
  expect(requests.filter((url) => !url.endsWith('favicon.ico') && !isFont(url))).toEqual([`${service.url}/shared/${token}`]);
  await page.locator('summary').first().click();
  expect(await page.locator('details[open] table').first().isVisible()).toBe(true);
  await keep(page, 'without-script');
  await close();
});

test.each([
  ['wide', { width: 1280 }],
  ['dark', { width: 1280, isDark: true }],
  ['tablet', { width: 820 }],
  ['phone', { width: 360, height: 780 }],
])('the page is complete and readable: %s', async (name, visit) => {
  const { page, problems, close } = await open(visit);
  await keep(page, name);
  expect(problems).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  const charts: unknown = await page.evaluate(CHARTS);
  expect(charts).toHaveLength(4);
  for (const chart of Array.isArray(charts) ? charts : []) {
    expect(chart.shown).toBe(1);
    expect(chart.letters).toBeGreaterThanOrEqual(9);
  }
  await close();
});

test('links to the page have a preview picture', async () => {
  const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
  const image = await (await fetch(`${service.url}/shared/${token}`)).text();
  const address = /property="og:image" content="([^"]+)"/.exec(image)?.[1] ?? '';
  expect(new URL(address).origin).toBe(service.url);
  await page.goto(address);
  expect(await page.evaluate('document.images[0].naturalWidth')).toBe(1200);
  await keep(page, 'picture');
  await page.close();
});

test.each([
  ['odd-wide', 1280],
  ['odd-phone', 360],
])('unusual contents stay within their tiles: %s', async (name, width) => {
  odd ||= await makeOddDashboard();
  const { page, problems, close } = await open({ path: `/shared/${odd}`, width });
  await keep(page, name);
  expect(problems).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  expect(await page.locator('.tile').count()).toBe(8);
  await close();
});

test('the page prints on a light ground, without controls', async () => {
  const { page, close } = await open({ isDark: true });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
  expect(await page.locator('summary:visible').count()).toBe(0);
  await page.pdf({ path: `${PICTURES}print.pdf`, format: 'A4', printBackground: true });
  await page.setViewportSize({ width: 720, height: 1000 });
  await keep(page, 'print');
  await close();
});

test('tables keep the columns beside long texts, and print completely', async () => {
  odd ||= await makeOddDashboard();
  const { page, close } = await open({ path: `/shared/${odd}` });
  const table = page.locator('.tile > .table').last();
  const [box, beside] = [await table.boundingBox(), await table.locator('th').nth(1).boundingBox()];
  if (!box || !beside) throw new Error('the table is not shown');
  expect(beside.x).toBeLessThan(box.x + box.width);
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 720, height: 1000 });
  expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
  await close();
});

test.each([
  ['wide', {}, true],
  ['phone', { width: 360 }, false],
])('axe-core finds no serious violation: %s', async (_name, visit, hasDark) => {
  const { page, close } = await open({ ...visit, bypassCSP: true });
  for (const path of [`/shared/${token}`, `/embedded/${token}`, '/shared/nothing']) {
    await page.goto(service.url + path);
    expect(await axe(page), path).toEqual([]);
    if (!hasDark) continue;
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axe(page, COLOR_RULES), `${path}, dark`).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await close();
});

test('the page can be embedded in other sites, without its header', async () => {
  const site = await serveFrame(`${service.url}/embedded/${token}`, `${service.url}/shared/${token}`);
  const page = await browser.newPage();
  await page.goto(site.url);
  const [embedded, shared] = [page.frameLocator('#embedded'), page.frameLocator('#shared')];
  await embedded.locator('.tile').first().waitFor();
  expect(await embedded.locator('header').count()).toBe(0);
  expect(await shared.locator('.tile').count()).toBe(0);
  await keep(page, 'embedded');
  await page.close();
  site.server.close();
});

test('the page asks for its password, and stays open after it was given', async () => {
  await share({ password_required: true });
  await service.post(`${PROJECT}/dashboards/${dashboard}/sharing/passwords/`, { raw_password: 'correct horse battery' });
  const { page, problems, close } = await open({ hasScript: false });
  expect(await page.content()).not.toContain('How the shop');
  await keep(page, 'locked');
  await page.locator('input').fill('wrong');
  await page.locator('button').click();
  expect(await page.getByRole('alert').textContent()).toContain('not the password');
  await keep(page, 'locked-wrong');
  await page.locator('input').fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.locator('.tile').first().waitFor();
  expect(new URL(page.url()).pathname).toBe(`/shared/${token}`);
  await page.reload();
  expect(await page.locator('.tile').count()).toBe(9);
  expect((await page.request.get(`${service.url}/shared/${token}.json`)).status()).toBe(200);
  expect(problems.filter((text) => !/401/.test(text))).toEqual([]);
  await close();
  const stranger = await open({ path: `/embedded/${token}` });
  expect([stranger.status, await stranger.page.locator('.tile').count()]).toEqual([401, 0]);
  await stranger.close();
  await share({ password_required: false });
});

test('the page is gone after sharing is disabled', async () => {
  await share({ enabled: false });
  const { page, status, close } = await open();
  expect([status, await page.locator('h1').textContent()]).toEqual([404, 'Page not found']);
  await keep(page, 'gone');
  await close();
  await share({ enabled: true });
});

async function share(change: object): Promise<string> {
  const { status, body } = await service.call('PATCH', `${PROJECT}/dashboards/${dashboard}/sharing/`, { body: change });
  expect([status, body]).toMatchObject([200, { access_token: expect.any(String) }]);
  return String(Object.entries(body ?? {}).find(([name]) => name === 'access_token')?.[1]);
}

async function sendEvents(): Promise<void> {
  const now = Date.now();
  const batch: object[] = [];
  for (let day = 0; day < 28; day++) {
    for (let person = 0; person < 24 + ((day * 7) % 11); person++) {
      if ((person * 31 + day * 17) % 5 < (day % 7 < 2 ? 3 : 1)) continue;
      const at = (minutes: number) => new Date(now - day * 86_400_000 - minutes * 60_000).toISOString();
      const properties = {
        visitor: `Visitor number ${person} – Ж 東京`,
        $browser: ['Chrome', 'Safari', 'Firefox'][(person * person) % 3],
        $pathname: ['/', '/pricing', '/docs'][person % 3],
      };
      const one = (event: string, minutes: number) => ({ event, distinct_id: `p${person}`, timestamp: at(minutes), properties });
      batch.push(one('$pageview', 30));
      if (person % 3 > 0) batch.push(one('plan viewed', 20));
      if (person % 3 > 1) batch.push(one('signed up', 10));
    }
  }
  const { status } = await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } });
  expect(status).toBe(200);
}

async function makeDashboard(): Promise<number> {
  const made = await service.post(`${PROJECT}/dashboards/`, {
    name: 'How the shop is doing',
    description: 'Visits, sign-ups and what people come back for. Updated as you look at it.',
  });
  const id = idOf(made.body);
  const event = (name: string, more: object = {}) => ({ kind: 'EventsNode', event: name, ...more });
  const days = { date_from: '-27d' };
  const views = [event('$pageview')];
  const funnel = [event('$pageview'), event('plan viewed'), event('signed up')];
  const browser = { breakdown: '$browser', breakdown_type: 'event' };
  const entity = { id: '$pageview', type: 'events' };
  const tiles: [string, object, [number, number, number, number]][] = [
    [
      'Visitors this month',
      {
        kind: 'TrendsQuery',
        series: [event('$pageview', { math: 'dau' })],
        dateRange: days,
        trendsFilter: { display: 'BoldNumber' },
      },
      [0, 0, 4, 3],
    ],
    ['Page views by browser', { kind: 'TrendsQuery', series: views, dateRange: days, breakdownFilter: browser }, [0, 3, 6, 5]],
    ['From visit to sign-up', { kind: 'FunnelsQuery', series: funnel, dateRange: days }, [6, 3, 6, 5]],
    [
      'Who comes back',
      {
        kind: 'RetentionQuery',
        retentionFilter: { period: 'Week', totalIntervals: 5, targetEntity: entity, returningEntity: entity },
      },
      [0, 8, 12, 5],
    ],
    [
      'Sign-ups a day, compared with the four weeks before',
      {
        kind: 'TrendsQuery',
        series: [event('signed up')],
        dateRange: days,
        compareFilter: { compare: true },
        trendsFilter: { display: 'ActionsBar' },
      },
      [0, 13, 6, 5],
    ],
    [
      'Share of each browser',
      { kind: 'TrendsQuery', series: views, dateRange: days, breakdownFilter: browser, trendsFilter: { display: 'ActionsPie' } },
      [6, 13, 6, 5],
    ],
    [
      'Totals',
      { kind: 'TrendsQuery', series: funnel, dateRange: days, trendsFilter: { display: 'ActionsTable' } },
      [0, 18, 6, 4],
    ],
    ['Latest events', { kind: 'EventsQuery', select: ['event'] }, [6, 18, 6, 4]],
  ];
  for (const [name, source, [x, y, w, h]] of tiles) {
    const insight = await service.post(`${PROJECT}/insights/`, {
      name,
      query: { kind: 'InsightVizNode', source },
      dashboards: [id],
    });
    expect([name, insight.status, insight.body]).toMatchObject([name, 201, {}]);
    const shown = await service.get(`${PROJECT}/dashboards/${id}/`);
    const places = Object.entries(shown.body ?? {}).find(([key]) => key === 'tiles')?.[1];
    const last = idOf(places.find((tile: { insight: { name: string } | null }) => tile.insight?.name === name));
    await service.call('PATCH', `${PROJECT}/dashboards/${id}/`, {
      body: { tiles: [{ id: last, layouts: { sm: { x, y, w, h } } }] },
    });
  }
  const body =
    '## What this shows\n\nNumbers of **our own shop**, *as they are*. Read [how we count](https://example.org/how).\n\n- A visitor is a browser\n- A week begins on Sunday';
  await service.call('PATCH', `${PROJECT}/dashboards/${id}/`, {
    body: { tiles: [{ text: { body }, layouts: { sm: { x: 4, y: 0, w: 8, h: 3 } }, color: 'blue' }] },
  });
  return id;
}

/** Edge cases: very long names, many series, empty results, and characters of every kind. */
async function makeOddDashboard(): Promise<string> {
  const name = `${'Unbrechbarerwortlindwurm'.repeat(6)} 🌊 <i>& "quotes"</i>`;
  const id = idOf((await service.post(`${PROJECT}/dashboards/`, { name, description: `${'x'.repeat(300)}\n\nЕщё строка` })).body);
  const views = { kind: 'EventsNode', event: '$pageview', custom_name: `Visits ${'very '.repeat(30)}long` };
  const people = { breakdown: 'visitor', breakdown_type: 'event', breakdown_limit: 25 };
  const sources = [
    { kind: 'TrendsQuery', series: [views], breakdownFilter: people },
    { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'never' }] },
    { kind: 'TrendsQuery', series: [views], trendsFilter: { formula: '0 - A * 1000000' } },
    { kind: 'TrendsQuery', series: [views], trendsFilter: { display: 'BoldNumber', formula: '0 - A * 123456789' } },
    { kind: 'PathsQuery', pathsFilter: { includeEventTypes: ['$pageview', 'custom_event'] } },
    { kind: 'LifecycleQuery', series: [views] },
    {
      kind: 'HogQLQuery',
      query: `select '${'long '.repeat(40)}' as text, 'x' as beside, ${Array(12).fill("'many columns'").join()}`,
    },
  ];
  for (const source of sources) {
    const { status } = await service.post(`${PROJECT}/insights/`, {
      name: `${name} ${source.kind}`,
      query: source,
      dashboards: [id],
    });
    expect(status).toBe(201);
  }
  const body = `# ${name}\n\n${'https://example.org/'.repeat(20)}\n\n\`\`\`\n${'code '.repeat(80)}\n\`\`\`\n> ${'q'.repeat(200)}`;
  await service.call('PATCH', `${PROJECT}/dashboards/${id}/`, { body: { tiles: [{ text: { body } }] } });
  const { body: sharing } = await service.call('PATCH', `${PROJECT}/dashboards/${id}/sharing/`, { body: { enabled: true } });
  return String(Object.entries(sharing ?? {}).find(([key]) => key === 'access_token')?.[1]);
}

const idOf = (body: unknown): number => Number(Object.entries(body ?? {}).find(([name]) => name === 'id')?.[1]);

async function serveFrame(embedded: string, shared: string): Promise<{ server: Server; url: string }> {
  const frame = (id: string, src: string) => `<iframe id="${id}" src="${src}" width="700" height="500"></iframe>`;
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html');
    answer.end(`<!doctype html><title>Blog</title>${frame('embedded', embedded)}${frame('shared', shared)}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, url: `http://localhost:${typeof address === 'object' && address ? address.port : 0}` };
}
