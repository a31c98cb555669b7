import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe, COLOR_RULES, isTooWide, keepPicture, watchedPage } from './testing/public-pages.js';

let service: Service;
let browser: Browser;
let ui: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  ui = `${service.url}/api/schema/ui/`;
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

test('search finds operations by words of their path, with files of this service alone and within the policy', async () => {
  const { page, problems, requests } = await watchedPage(browser, {});
  await page.goto(ui);
  await page.keyboard.press('/');
  await page.keyboard.type('collaborators post');
  const links = page.locator('nav li:visible a');
  await expect.poll(() => links.count()).toBe(1);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${ui}dashboard-collaborators#dashboards_collaborators_create`);
  expect(await page.locator('#dashboards_collaborators_create').textContent()).toContain('dashboard:write');
  expect(await page.locator('nav [aria-current]').textContent()).toContain('POST');
  await page.fill('#search', 'no such operation');
  await page.locator('#nothing').waitFor();
  expect(problems).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'))).toEqual([]);
});

test('samples have the address of the service and the key of the reader, and follow the form', async () => {
  const { page } = await watchedPage(browser, {});
  await page.goto(`${ui}projects#projects_list`);
  await page.fill('#key', service.account.personalKey);
  const operation = page.locator('#projects_retrieve');
  await operation.getByText('Try it').click();
  await operation.getByLabel('project_id').fill('7');
  expect(await operation.locator('pre.curl').textContent()).toBe(
    `curl "${service.url}/api/projects/7/" \\\n  -H "Authorization: Bearer ${service.account.personalKey}"`,
  );
  await operation.getByText('JavaScript').click();
  expect(await operation.locator('pre.javascript').textContent()).toContain(`fetch('${service.url}/api/projects/`);
});

test('a request can be sent with a key, and its response is shown', async () => {
  const { page } = await watchedPage(browser, {});
  await page.goto(`${ui}projects#projects_list`);
  const operation = page.locator('#projects_list');
  await operation.getByText('Try it').click();
  await operation.getByText('Send the request').click();
  await expect.poll(() => operation.locator('output').textContent()).toMatch(/^401 /);
  await page.fill('#key', service.account.personalKey);
  await operation.getByText('Send the request').click();
  await expect.poll(() => operation.locator('output').textContent()).toMatch(/^200 /);
  expect(await operation.locator('output').textContent()).toContain(service.account.projectKey);
});

test('an address of an earlier version leads to the operation', async () => {
  const { page } = await watchedPage(browser, {});
  await page.goto(`${ui}#/Dashboards/dashboards_create`);
  await page.waitForURL(`${ui}dashboards#dashboards_create`);
});

/** Every kind of element is on one of them; operations of the last one have the same titles. */
const PAGES = ['', 'dashboards', 'feature-flags', 'capture', 'access-control'];

/** Long ones, of the same elements as the others. */
const LONG_PAGES = ['dashboards', 'feature-flags', 'access-control'];

test.each(PAGES)('page "%s" is not too wide, and axe-core finds nothing, also in dark colors unless it is long', async (path) => {
  const { page, close } = await watchedPage(browser, { width: 1440, bypassCSP: true });
  await page.goto(ui + path);
  await keepPicture(page, `reference-${path || 'start'}-light`, false);
  expect(await isTooWide(page)).toBe(false);
  expect(await axe(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepPicture(page, `reference-${path || 'start'}-dark`, false);
  if (!LONG_PAGES.includes(path)) expect(await axe(page, COLOR_RULES)).toEqual([]);
  await close();
});

test('on a phone no page is too wide, and axe-core finds nothing', async () => {
  const { page, close } = await watchedPage(browser, { width: 360, bypassCSP: true });
  for (const path of PAGES) {
    await page.goto(ui + path);
    await keepPicture(page, `reference-${path || 'start'}-phone`, false);
    expect(await isTooWide(page), path).toBe(false);
    // the pages have the same layout and elements, and this one is not long
    if (path === 'capture') expect(await axe(page)).toEqual([]);
  }
  await close();
});

test('without script, every operation is there, and what needs script is hidden', async () => {
  const { page } = await watchedPage(browser, { hasScript: false });
  await page.goto(`${ui}dashboards`);
  expect(await page.locator('.operation').count()).toBeGreaterThan(5);
  expect(await page.locator('#search, .key, .try, .copy').filter({ visible: true }).count()).toBe(0);
});
