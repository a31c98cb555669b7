import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let service: Service;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

test('the reference page opens at an operation, loads only from its own server and meets its own policy', async () => {
  const page = await browser.newPage();
  const faults: string[] = [];
  const foreign: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  await page.goto(`${service.url}/api/schema/ui/#/Dashboards/dashboards_create`);
  const operation = page.locator('#operations-Dashboards-dashboards_create');
  await operation.locator('.opblock-body').waitFor();
  expect(await operation.textContent()).toContain('dashboard:write');
  expect(await page.locator('.opblock-tag').count()).toBeGreaterThan(15);

  await page.fill('.operation-filter-input', 'Groups');
  await expect.poll(() => page.locator('.opblock-tag').count()).toBe(1);
  expect([faults, foreign]).toEqual([[], []]);
});

test('an operation is sent from the page with a key', async () => {
  const page = await browser.newPage();
  await page.goto(`${service.url}/api/schema/ui/#/Projects/projects_list`);
  await page.click('.btn.authorize');
  await page.fill('#auth-bearer-value', service.account.personalKey);
  await page.click('.auth-container:has(#auth-bearer-value) button.authorize');
  await page.click('.btn-done');
  const operation = page.locator('#operations-Projects-projects_list');
  await operation.locator('.try-out__btn').click();
  await operation.locator('.execute').click();
  await operation.locator('.live-responses-table .response-col_status').first().waitFor();
  expect(await operation.locator('.live-responses-table').textContent()).toContain('200');
  expect(await operation.locator('.live-responses-table').textContent()).toContain(service.account.projectKey);
});
