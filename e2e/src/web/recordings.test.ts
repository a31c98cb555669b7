import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { expectAccessible, loggedIn, settled } from '../testing/app-pages.js';
import { clicked, opened, titled } from '../testing/shared-recordings.js';
import { startForStories } from '../testing/start-for-stories.js';

/* The list of recordings, and what it can be limited to. */

const DAY_MS = 86_400_000;

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
  const batch = ['short', 'long', 'old'].map((visitor) => ({
    event: '$pageview',
    distinct_id: visitor,
    properties: { $set: { plan: 'pro' } },
  }));
  await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } });
  // visits of half an hour ago, and one of ten days before
  await record('short', 'short-visit', [...opened(0, titled('Cart')), clicked(4_000)]);
  await record('long', 'long-visit', [...opened(0, titled('Cart')), ...[20_000, 90_000].map(clicked)]);
  const longAgo = -10 * DAY_MS;
  await record('old', 'old-visit', [
    ...opened(longAgo, titled('Prices'), 'https://shop.example/prices'),
    clicked(longAgo + 5_000),
  ]);
});

async function record(visitor: string, session: string, snapshots: object[]): Promise<void> {
  const properties = {
    $snapshot_data: snapshots,
    $session_id: session,
    $window_id: 'w',
    distinct_id: visitor,
    token: service.account.projectKey,
  };
  expect((await service.post('/s/', [{ event: '$snapshot', properties }])).status).toBe(200);
}

test('recordings are those of the last week, until days, addresses, lengths or an order are chosen, which stand in the address', async () => {
  const { page, project, problems, close } = await loggedIn(browser, service, { bypassCSP: true, hasReducedMotion: true });
  await page.goto(`${service.url}${project}/recordings`);
  await settled(page);
  const list = page.getByRole('list', { name: 'Recordings' });
  const visitors = () => list.getByRole('link').allTextContents();
  await expect.poll(async () => (await visitors()).toSorted()).toEqual(['long', 'short']);
  await expectAccessible(page, 'recordings');

  await page.getByRole('button', { name: 'Dates: Last 7 days' }).click();
  await page.getByRole('dialog', { name: 'Dates' }).getByRole('button', { name: 'All time' }).click();
  await expect.poll(async () => (await visitors()).length).toBe(3);
  await page.getByRole('button', { name: 'Latest first' }).click();
  await page.getByRole('menuitem', { name: 'Longest first' }).click();
  await expect.poll(visitors).toEqual(['long', 'old', 'short']);
  await page.getByRole('searchbox', { name: 'Search visited addresses' }).fill('prices');
  await expect.poll(visitors).toEqual(['old']);
  await page.reload();
  await expect.poll(visitors).toEqual(['old']);

  await page.getByRole('button', { name: 'Any length' }).click();
  await page.getByRole('menuitem', { name: 'From 1 minute' }).click();
  await page.getByText('No recording matches').waitFor();
  await page.getByRole('button', { name: 'Show all recordings' }).click();
  await expect.poll(async () => (await visitors()).length).toBe(3);
  await page.getByRole('button', { name: 'Any length' }).click();
  await page.getByRole('menuitem', { name: 'From 1 minute' }).click();
  await expect.poll(visitors).toEqual(['long']);
  await list.getByRole('link', { name: 'long' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  // back is where the person was
  await page.goBack();
  await expect.poll(visitors).toEqual(['long']);
  expect(problems).toEqual([]);
  await close();
});

test('the page of a person has their recordings of all days', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  const { body } = await service.get('/api/environments/@current/persons/?distinct_id=old');
  const { results } = body as { results: { uuid: string }[] };
  await page.goto(`${service.url}${project}/persons/${results[0]?.uuid}?tab=recordings`);
  await page.getByRole('list', { name: 'Recordings' }).getByRole('link', { name: 'https://shop.example/prices' }).waitFor();
  await close();
});
