import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, pageWith, startSite } from './browser-site.js';
import { longVisit } from './long-visit.js';

let service: Service;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

test('three minutes of navigations, one without the service, lose no event that the page stored', async () => {
  await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
  const { samples, uploads } = await longVisit(browser, service, { minutes: 3, every: 1, down: [1, 1.8] });
  expect(uploads).toBeGreaterThan(5);
  const [first, , last] = samples;
  if (!first || !last) throw new Error('nothing was measured');
  const navigations = last.navigations - first.navigations;
  expect(navigations).toBeGreaterThan(150);
  // each navigation takes down some 130 nodes with 25 listeners
  expect((last.nodes - first.nodes) / navigations).toBeLessThan(5);
  expect((last.listeners - first.listeners) / navigations).toBeLessThan(1);
  expect((last.heapBytes - first.heapBytes) / navigations).toBeLessThan(5_000);
});

test('a page that is always busy loads the deferred chunk too', async () => {
  const before = `(function busy() { const until = performance.now() + 25; while (performance.now() < until); setTimeout(busy); })();`;
  const site = await startSite(() => ({ html: pageWith(service.url, service.account.projectKey, { before }) }));
  const { page, close } = await openPage(browser);
  await page.goto(site.url);
  const loaded = `performance.getEntriesByType('resource').some(({ name }) => name.includes('deferred'))`;
  await eventually(async () => expect(await page.evaluate<boolean>(loaded)).toBe(true));
  await close();
  site.close();
});
