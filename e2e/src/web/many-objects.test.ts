import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { type AppPage, loggedIn, settled } from '../testing/app-pages.js';
import { startForStories, storeEvents } from '../testing/start-for-stories.js';

/* Projects with many things: lists draw the rows in sight, and everything is found. `npm run bench -- app lists` measures how they scroll. */

const DASHBOARDS = 500;
const INSIGHTS = 250;
const PERSONS = 1_200;
/** Requests that are made at once. */
const AT_ONCE = 20;
const API = '/api/environments/@current';

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] };
  await many(DASHBOARDS, (at) => service.post(`${API}/dashboards/`, { name: `Board ${at}` }));
  await many(INSIGHTS, (at) =>
    service.post(`${API}/insights/`, { name: `Question ${at}`, query: { kind: 'InsightVizNode', source }, saved: true }),
  );
  // the one that is the first is the last of the list
  const batch = Array.from({ length: PERSONS }, (_, at) => ({
    event: '$pageview',
    distinct_id: `visitor-${at}`,
    timestamp: new Date(Date.now() - (PERSONS - at) * 60_000).toISOString(),
    properties: { $set: { email: `visitor-${at}@example.com` } },
  }));
  await storeEvents(service, batch);
});

async function many(count: number, make: (at: number) => Promise<{ status: number }>): Promise<void> {
  for (let first = 0; first < count; first += AT_ONCE) {
    const made = await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, at) => make(first + at)));
    for (const { status } of made) expect(status).toBe(201);
  }
}

/** Scrolls a list to its end, page after page, until a row is there. */
async function scrollTo(page: AppPage, list: string, row: string): Promise<void> {
  await expect
    .poll(async () => {
      await page.evaluate(`document.querySelector('ul[aria-label="${list}"]').parentElement.scrollTop = 1e9`);
      return page.getByRole('link', { name: row, exact: true }).count();
    })
    .toBe(1);
}

test('hundreds of dashboards and insights and more people are lists of few rows, whose last one comes by scrolling', async () => {
  const { page, project, problems, close } = await loggedIn(browser, service);
  for (const [path, list, last] of [
    // by their names
    ['dashboards', 'Dashboards', 'Board 99'],
    ['insights', 'Insights', 'Question 0'],
    ['persons', 'Persons', 'visitor-0@example.com'],
  ] as const) {
    await page.goto(`${service.url}${project}/${path}`);
    await settled(page);
    await page.getByRole('list', { name: list }).getByRole('link').first().waitFor();
    expect(await page.getByRole('list', { name: list }).getByRole('listitem').count()).toBeLessThan(100);
    await scrollTo(page, list, last);
    expect(await page.getByRole('list', { name: list }).getByRole('listitem').count()).toBeLessThan(100);
  }
  expect(problems).toEqual([]);
  await close();
});

test('a word finds one of hundreds, in its list and from everywhere', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  for (const [path, search, wanted] of [
    ['dashboards', 'Search dashboards and tags', 'Board 7'],
    ['insights', 'Search insights', 'Question 7'],
  ] as const) {
    await page.goto(`${service.url}${project}/${path}`);
    await settled(page);
    await page.getByRole('searchbox', { name: search }).fill(wanted);
    await page.getByRole('link', { name: wanted, exact: true }).waitFor();
  }
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search or go to' });
  await palette.waitFor();
  await page.keyboard.type('Board 321');
  await palette.getByRole('option', { name: 'Board 321 Dashboard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Board 321' }).waitFor();
  // people are many: their list is searched
  await page.keyboard.press('Control+k');
  await palette.waitFor();
  await page.keyboard.type('visitor-77@');
  await palette.getByRole('option', { name: 'visitor-77@example.com Person' }).waitFor();
  await palette.getByRole('option', { name: 'Find a person called “visitor-77@”' }).click();
  await page.waitForURL(/persons\?search=visitor-77/);
  await page.getByRole('list', { name: 'Persons' }).getByRole('link', { name: 'visitor-77@example.com' }).waitFor();
  await close();
});
