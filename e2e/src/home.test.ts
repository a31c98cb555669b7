import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe, isTooWide, keepPicture, watchedPage } from './testing/public-pages.js';

let service: Service;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

test('the home page waits for the first event of a pasted key, and turns green when it arrives', async () => {
  const { page, problems, close } = await watchedPage(browser, {});
  await page.goto(service.url);
  await keepPicture(page, 'home');
  const state = () => page.locator('#waiting').getAttribute('data-state');
  expect(await state()).toBe('idle');
  await page.fill('#key', 'not a key');
  expect(await page.locator('#waiting-detail').textContent()).toContain('tmk_');
  await page.fill('#key', service.account.projectKey);
  await expect.poll(state).toBe('waiting');
  expect(await page.locator('#curl').textContent()).toContain(`"api_key": "${service.account.projectKey}"`);
  expect(await page.locator('#html').textContent()).toBe(
    `<script async src="${service.url}/static/tidemark.js" data-api-key="${service.account.projectKey}"></script>`,
  );
  await keepPicture(page, 'home-waiting');
  await page.click('#test');
  await expect.poll(state, { timeout: 10_000 }).toBe('arrived');
  expect(await page.locator('#waiting-title').textContent()).toBe('Events are here');
  await keepPicture(page, 'home-arrived');
  expect(problems).toEqual([]);
  await close();
});

test('a wrong key is called wrong, and a button copies a snippet', async () => {
  const { page, close } = await watchedPage(browser, {});
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
  await page.goto(service.url);
  await page.fill('#key', 'tmk_nobody-has-this');
  await expect.poll(() => page.locator('#waiting-title').textContent()).toBe('No project has this key');
  await page.click('[data-copy=curl]');
  await expect.poll(() => page.locator('[data-copy=curl]').textContent()).toBe('Copied');
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('tmk_nobody-has-this');
  await close();
});

test('without JavaScript the home page has its snippets, and no control that does nothing', async () => {
  const { page, close } = await watchedPage(browser, { hasScript: false });
  await page.goto(service.url);
  expect(await page.locator('pre:visible').count()).toBe(3);
  expect(await page.locator('button:visible, input:visible').count()).toBe(0);
  expect(await page.locator('a[href="/api/schema/ui/"]').count()).toBe(1);
  await close();
});

test.each([
  ['light', {}],
  ['dark', { isDark: true }],
  ['phone', { width: 360 }],
])('axe-core finds nothing, and nothing overflows: %s', async (_name, visit) => {
  const { page, close } = await watchedPage(browser, { ...visit, bypassCSP: true });
  for (const path of ['/', '/nothing']) {
    await page.goto(service.url + path);
    expect(await axe(page), path).toEqual([]);
    expect(await isTooWide(page), path).toBe(false);
  }
  await close();
});
