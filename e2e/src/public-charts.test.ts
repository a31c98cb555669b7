import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe, isTooWide, keepPicture, type Visit, watchedPage } from './testing/public-pages.js';

const PROJECT = '/api/projects/@current';
const NAME = 'Sign-ups by plan <img src=x onerror=alert(1)>';

let service: Service;
let browser: Browser;
let address: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  const batch: object[] = [];
  for (let day = 0; day < 20; day++) {
    for (let n = 0; n < 3 + (day % 4); n++) {
      const plan = ['free', 'paid', '<b>odd</b>'][n % 3];
      const timestamp = new Date(Date.now() - day * 86_400_000 - 60_000).toISOString();
      batch.push({ event: 'signed up', distinct_id: `p${day}-${n}`, timestamp, properties: { plan } });
    }
  }
  // a led in the three days before, and in the week before; b leads now
  for (const [day, plan, count] of [
    [1, 'a', 1],
    [1, 'b', 4],
    [4, 'a', 3],
    [4, 'b', 1],
    [8, 'a', 3],
    [8, 'b', 1],
  ] as const) {
    const timestamp = new Date(Date.now() - day * 86_400_000 - 60_000).toISOString();
    for (let n = 0; n < count; n++)
      batch.push({ event: 'upgraded', distinct_id: `${plan}${day}-${n}`, timestamp, properties: { plan } });
  }
  await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } });
  const dashboard = idOf((await service.post(`${PROJECT}/dashboards/`, { name: 'Charts' })).body);
  const trend = (more: object) => ({ kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed up' }], ...more });
  for (const [name, source] of [
    [NAME, trend({ breakdownFilter: { breakdown: 'plan', breakdown_type: 'event' }, dateRange: { date_from: '-9d' } })],
    ['Compared', trend({ compareFilter: { compare: true }, dateRange: { date_from: '-9d' } })],
    [
      'Coming back',
      {
        kind: 'RetentionQuery',
        dateRange: { date_from: '-21d' },
        retentionFilter: {
          period: 'Week',
          totalIntervals: 4,
          targetEntity: { id: 'signed up', type: 'events' },
          returningEntity: { id: 'signed up', type: 'events' },
        },
      },
    ],
    [
      'Compared by plan',
      {
        kind: 'TrendsQuery',
        series: [{ kind: 'EventsNode', event: 'upgraded' }],
        breakdownFilter: { breakdown: 'plan' },
        compareFilter: { compare: true },
        dateRange: { date_from: '-2d' },
      },
    ],
    ['Ranking', trend({ breakdownFilter: { breakdown: 'plan' }, trendsFilter: { display: 'ActionsBarValue' } })],
  ] as const) {
    await service.post(`${PROJECT}/insights/`, { name, query: { kind: 'InsightVizNode', source }, dashboards: [dashboard] });
  }
  const names = "concat('people who have signed up for the plan named ', toString(properties.plan), ' of all')";
  const byName = `select ${names} as plan, count() as people from events where event = 'signed up' group by plan order by people desc`;
  await service.post(`${PROJECT}/insights/`, {
    name: 'Names of SQL',
    query: { kind: 'DataVisualizationNode', display: 'ActionsBar', source: { kind: 'HogQLQuery', query: byName } },
    dashboards: [dashboard],
  });
  const settings = { dateRange: true, downloads: true };
  const { body } = await service.call('PATCH', `${PROJECT}/dashboards/${dashboard}/sharing/`, {
    body: { enabled: true, settings },
  });
  address = `${service.url}/shared/${Object.entries(body ?? {}).find(([key]) => key === 'access_token')?.[1]}`;
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const idOf = (body: unknown): number => Number(Object.entries(body ?? {}).find(([name]) => name === 'id')?.[1]);

async function open(visit: Visit = {}) {
  const watched = await watchedPage(browser, visit);
  await watched.page.goto(address, { waitUntil: 'networkidle' });
  return watched;
}

test('the pointer shows the numbers of a day, sorted by value, with a line through the chart', async () => {
  const { page, problems, close } = await open();
  const chart = page.locator('.chart').first();
  const box = await chart.boundingBox();
  if (!box) throw new Error('the chart is not shown');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const tip = chart.locator('.tip');
  expect(await tip.locator('b').textContent()).toMatch(/^[A-Z][a-z]{2} \d+ [A-Z][a-z]{2} \d{4}$/);
  // people who do not see the chart hear what it shows, and how its points are read
  expect(await chart.getAttribute('aria-label')).toMatch(
    /chart\. 10 points from .* 3 series: .*Left and right keys read its points\.$/s,
  );
  const values = (await tip.locator('td:nth-child(3)').allTextContents()).map(Number);
  const total = values.pop();
  expect([values.length, values]).toEqual([3, [...values].sort((a, b) => b - a)]);
  expect(total).toBe(values.reduce((sum, value) => sum + value, 0));
  expect(await chart.locator('svg:visible line[stroke]').count()).toBe(1);
  expect(await chart.locator('svg:visible g[aria-hidden] circle').count()).toBe(3);
  // nothing is compared
  expect(await tip.locator('.tip-head').textContent()).toBe(await tip.locator('b').textContent());
  expect(await page.locator('img').count()).toBe(0);
  await keepPicture(page, 'chart-tip');
  await page.mouse.move(box.x + box.width / 2, box.y - 40);
  expect(await tip.isVisible()).toBe(false);
  expect(problems).toEqual([]);
  await close();
});

test('keys walk from day to day, say that today is not over, and compare with the period before', async () => {
  const { page, close } = await open();
  const chart = page.locator('.chart').nth(1);
  await chart.focus();
  await page.keyboard.press('End');
  const tip = chart.locator('.tip');
  const last = await tip.locator('b').textContent();
  expect(last).toContain('so far');
  expect(await tip.locator('tr').count()).toBe(1);
  expect(await tip.locator('td').nth(3).textContent()).toMatch(/^\d+$/);
  expect(await tip.locator('.tip-head span').textContent()).toMatch(/^vs \d+ [A-Z][a-z]{2}( \d{4})?$/);
  await page.keyboard.press('ArrowLeft');
  expect(await tip.locator('b').textContent()).not.toBe(last);
  await page.keyboard.press('Escape');
  expect(await tip.isVisible()).toBe(false);
  await close();
});

test('a value is compared with itself in the period before, whatever their order, with the change of the sum', async () => {
  const { page, close } = await open();
  const chart = page.locator('.tile', { hasText: 'Compared by plan' }).locator('.chart');
  await chart.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  const rows = chart.locator('.tip tr');
  expect((await rows.allTextContents()).map((row) => row.replaceAll('\u00a0', ' '))).toEqual([
    'b41▲ +300%',
    'a13▼ −66.7%',
    'Total54▲ +25%',
  ]);
  await keepPicture(page, 'chart-tip-compared');
  // a button hides a value in both periods, and what is left has no sum
  const button = chart.locator('.switches button', { hasText: 'a' });
  await button.click();
  await chart.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  expect(await rows.count()).toBe(1);
  expect(await chart.locator('svg:visible path[stroke="var(--c2)"]:not([visibility="hidden"])').count()).toBe(0);
  await close();
});

test('the pointer and keys show the parts of a ranking', async () => {
  const { page, problems, close } = await open();
  const chart = page.locator('.chart:not([data-series])').first();
  const tip = chart.locator('.tip');
  await chart.focus();
  await page.keyboard.press('Home');
  expect(await tip.locator('b').textContent()).toBe('free');
  expect(await tip.locator('div').textContent()).toMatch(/^\d+ \(\d+(\.\d)?%\)$/);
  await page.keyboard.press('ArrowDown');
  expect(await tip.locator('b').textContent()).not.toBe('free');
  await page.keyboard.press('Escape');
  expect(await tip.isVisible()).toBe(false);
  const bar = await chart.locator('svg:visible rect').first().boundingBox();
  if (!bar) throw new Error('the chart has no bars');
  await page.mouse.move(bar.x + 3, bar.y + 3);
  expect(await tip.isVisible()).toBe(true);
  expect(problems).toEqual([]);
  await close();
});

test('bars whose names do not fit below a plot are drawn as a ranking, and say what they show', async () => {
  const { page, problems, close } = await open();
  const chart = page.locator('.tile', { hasText: 'Names of SQL' }).locator('.chart[data-series]');
  expect(await chart.locator('svg:visible [data-plot]').count()).toBe(0);
  await chart.focus();
  await page.keyboard.press('Home');
  expect(await chart.locator('.tip b').textContent()).toMatch(/^people who have signed up for the plan named free/);
  expect(await chart.locator('.tip div').textContent()).toMatch(/^\d+$/);
  expect(problems).toEqual([]);
  await close();
});

test('cells of retention say what they mean to the pointer and by keys', async () => {
  const { page, problems, close } = await open();
  const table = page.locator('.retention table');
  const tip = page.locator('body > .tip');
  const cells = table.locator('td[aria-description]');
  await cells.nth(1).hover();
  expect(await tip.textContent()).toMatch(/^Mean, week 1 *\d+(\.\d)?%, \d+ of \d+ people$/);
  await keepPicture(page, 'retention-tip');
  await page.mouse.move(1, 1);
  expect(await tip.isVisible()).toBe(false);
  await page.locator('.retention').focus();
  await page.keyboard.press('Tab');
  expect(await tip.textContent()).toMatch(/^Mean, week 0 *\d+ people began$/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  expect(await tip.textContent()).toMatch(/^\d+ [A-Z][a-z]{2}, week \d \(.* to .*\).*, so far$/);
  await page.keyboard.press('Escape');
  expect(await tip.isVisible()).toBe(false);
  expect(problems).toEqual([]);
  await close();
});

test('without a script, the title of a cell of retention says what it means', async () => {
  const { page, close } = await open({ hasScript: false });
  expect(await page.locator('.retention td[title*="people began"]').count()).toBeGreaterThan(0);
  await close();
});

test('a touch shows the numbers, and nothing leaves a narrow screen', async () => {
  const { page, close } = await open({ width: 360 });
  const box = await page.locator('.chart').nth(1).boundingBox();
  if (!box) throw new Error('the chart is not shown');
  await page
    .locator('.chart')
    .nth(1)
    .dispatchEvent('pointerdown', { clientX: box.x + 60, clientY: box.y + 90, pointerType: 'touch' });
  expect(await page.locator('.tip:visible').count()).toBe(1);
  expect(await isTooWide(page)).toBe(false);
  await keepPicture(page, 'chart-tip-phone');
  await close();
});

test('a series can be hidden and shown', async () => {
  const { page, close } = await open();
  const chart = page.locator('.chart').first();
  const button = chart.locator('.switches button').first();
  const visible = () => chart.locator('svg:visible path[stroke="var(--c1)"]').first().getAttribute('visibility');
  await button.click();
  expect([await button.getAttribute('aria-pressed'), await visible()]).toEqual(['false', 'hidden']);
  await chart.focus();
  await page.keyboard.press('Home');
  expect(await chart.locator('.tip tr').count()).toBe(2);
  await button.click();
  expect([await button.getAttribute('aria-pressed'), await visible()]).toEqual(['true', 'visible']);
  await close();
});

test('a table is sorted by its heads and copied for spreadsheets', async () => {
  const { page, close } = await open();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
  await page.locator('summary', { hasText: 'Numbers' }).first().click();
  const table = page.locator('.tile').first().locator('.table table');
  const column = async () => (await table.locator('tbody td:nth-child(2)').allTextContents()).map(Number);
  const days = () => table.locator('tbody td:first-child').allTextContents();
  const inOrder = await days();
  await table.locator('th button').first().click();
  expect(await days()).toEqual(inOrder.toReversed());
  await table.locator('th button').nth(1).click();
  expect(await table.locator('th').nth(1).getAttribute('aria-sort')).toBe('descending');
  expect(await column()).toEqual([...(await column())].sort((a, b) => b - a));
  await table.locator('th button').nth(1).click();
  expect(await column()).toEqual([...(await column())].sort((a, b) => a - b));
  await page.locator('.copy').first().click();
  await expect.poll(() => page.locator('.copy').first().textContent()).toBe('Copied');
  const copied = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(copied.split('\n').map((line) => line.split('\t').length)).toEqual(Array(11).fill(4));
  await close();
});

test('a table is sorted by the times of its cells, and by names with their numbers', async () => {
  const rows = [
    ['2026-11-28 20:17:00', 'v10'],
    ['2026-12-03 09:00:00', 'v9'],
    ['2026-11-28 08:05:00', 'v2'],
    ['2026-10-30 23:00:00', 'v1'],
  ];
  const sql = `select arrayJoin([${rows.map(([time, name], i) => `(${i}, toDateTime('${time}'), '${name}')`)}]) as row, row.1 as place, row.2 as seen, row.3 as version order by place`;
  const source = { kind: 'HogQLQuery', query: `select seen, version, place from (${sql})` };
  const { body } = await service.post(`${PROJECT}/insights/`, { name: 'Versions', query: { kind: 'DataTableNode', source } });
  const sharing = await service.call('PATCH', `${PROJECT}/insights/${idOf(body)}/sharing/`, { body: { enabled: true } });
  const token = Object.entries(sharing.body ?? {}).find(([key]) => key === 'access_token')?.[1];
  const { page, problems, close } = await watchedPage(browser, {});
  await page.goto(`${service.url}/shared/${token}`, { waitUntil: 'networkidle' });
  const table = page.locator('.table table');
  const versions = () => table.locator('tbody td:nth-child(2)').allTextContents();
  await table.getByRole('button', { name: 'Seen' }).click();
  expect(await versions()).toEqual(['v9', 'v10', 'v2', 'v1']);
  await table.getByRole('button', { name: 'Seen' }).click();
  expect(await versions()).toEqual(['v1', 'v2', 'v10', 'v9']);
  await table.getByRole('button', { name: 'Version' }).click();
  expect(await versions()).toEqual(['v10', 'v9', 'v2', 'v1']);
  expect(problems).toEqual([]);
  await close();
});

test('a long number stays in one line, a table in its tile, and the head says how old the numbers are on every screen', async () => {
  const trend = (display: string, more: object = {}) => ({
    kind: 'InsightVizNode',
    source: {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'signed up', math: 'hogql', math_hogql: 'count() * 1234567.89' }],
      breakdownFilter: { breakdown: 'distinct_id', breakdown_type: 'event' },
      trendsFilter: { display, aggregationAxisPrefix: '$' },
      ...more,
    },
  });
  const list = { kind: 'DataTableNode', source: { kind: 'HogQLQuery', query: 'select arrayJoin(range(60)) as n' } };
  const { body } = await service.post(`${PROJECT}/dashboards/`, {
    name: 'Numbers',
    tiles: [
      {
        insight: { name: 'Sum', query: trend('BoldNumber', { breakdownFilter: {} }) },
        layouts: { sm: { x: 0, y: 0, w: 3, h: 2 } },
      },
      { insight: { name: 'Each', query: list }, layouts: { sm: { x: 0, y: 2, w: 6, h: 5 } } },
      { insight: { name: 'By day', query: trend('ActionsBar') }, layouts: { sm: { x: 6, y: 2, w: 6, h: 5 } } },
    ],
  });
  const { body: sharing } = await service.call('PATCH', `${PROJECT}/dashboards/${idOf(body)}/sharing/`, {
    body: { enabled: true },
  });
  const token = Object.entries(sharing ?? {}).find(([key]) => key === 'access_token')?.[1];
  for (const width of [1280, 820, 360]) {
    const { page, close } = await watchedPage(browser, { width });
    await page.goto(`${service.url}/shared/${token}`, { waitUntil: 'networkidle' });
    const number = page.locator('.big');
    expect(await number.textContent()).toMatch(/^\$[\d,]{9,}/);
    // two lines of the smallest letters are higher
    expect((await number.boundingBox())?.height).toBeLessThan(50);
    const heights = await page.locator('.tile').evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().height));
    if (width === 1280) expect(heights.slice(1)).toEqual([348, 348]);
    const [updated, mark] = await Promise.all([page.locator('.updated').boundingBox(), page.locator('.bar .mark').boundingBox()]);
    expect(Math.abs((updated?.y ?? 0) - (mark?.y ?? 0))).toBeLessThan(8);
    expect(await isTooWide(page)).toBe(false);
    await keepPicture(page, `numbers-${width}`);
    await close();
  }
});

test('without JavaScript a range is a link, and nothing waits for a script', async () => {
  const { page, close } = await open({ hasScript: false });
  expect(await page.locator('.switches, .copy, .tip').count()).toBe(0);
  await page.locator('.ranges a', { hasText: '90 days' }).click();
  expect(new URL(page.url()).search).toBe('?range=90d');
  expect(await page.locator('.ranges [aria-current]').textContent()).toBe('90 days');
  await close();
});

test.each([
  ['light', {}],
  ['dark', { isDark: true }],
  ['phone', { width: 360 }],
])('axe-core finds nothing, with a tip and a table open: %s', async (_name, visit) => {
  const { page, close } = await open({ ...visit, bypassCSP: true });
  await page.locator('summary', { hasText: 'Numbers' }).first().click();
  await page.locator('.chart').nth(1).focus();
  await page.keyboard.press('End');
  expect(await axe(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await close();
});
