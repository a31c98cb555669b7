import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { expectAccessible, loggedIn, settled } from '../testing/app-pages.js';
import { propertyIsOffered, startForStories } from '../testing/start-for-stories.js';

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const batch = ['anvil', 'rope'].map((product) => ({ event: 'bought', distinct_id: 'ada', properties: { product, price: 7 } }));
  const body = { api_key: service.account.projectKey, batch };
  expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
  await propertyIsOffered(service, 'product');
});

test('properties get columns beside the events, which stand in the address and are hidden again', async () => {
  const { page, project, problems, close } = await loggedIn(browser, service, { bypassCSP: true, hasReducedMotion: true });
  await page.goto(`${service.url}${project}/events`);
  await settled(page);
  const events = page.getByRole('list', { name: 'Events' });
  await events.getByText('bought').nth(1).waitFor();
  expect(await events.getByText('anvil').count()).toBe(0);
  await page.getByRole('button', { name: 'Column', exact: true }).click();
  await page.getByRole('option', { name: 'product' }).click();
  await events.getByText('anvil').waitFor();
  await events.getByText('rope').waitFor();
  await page.reload();
  await events.getByText('anvil').waitFor();
  await expectAccessible(page, 'events-columns');
  await page.getByRole('button', { name: 'Hide the column product' }).click();
  await expect.poll(() => events.getByText('anvil').count()).toBe(0);
  expect(new URL(page.url()).search).toBe('');
  expect(problems).toEqual([]);
  await close();
});
