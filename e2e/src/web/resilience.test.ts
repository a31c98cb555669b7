import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppPage, keepPicturesOfFailures, loggedIn } from '../testing/app-pages.js';

let service: Service;
let browser: Browser;
keepPicturesOfFailures(() => browser);
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  const batch = Array.from({ length: 40 }, (_, at) => ({
    event: at % 2 === 0 ? '$pageview' : 'signed up',
    distinct_id: `user-${at % 9}`,
    timestamp: new Date(Date.now() - (at % 6) * 86_400_000).toISOString(),
  }));
  const body = { api_key: service.account.projectKey, historical_migration: true, batch };
  expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

async function logInAgain(page: AppPage): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('E-mail').fill(service.account.email);
  await dialog.getByLabel('Password', { exact: true }).fill(service.account.password);
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('a session that ends while somebody edits loses nothing: a log-in covers the screen, and the work continues', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  await page.goto(`${service.url}${project}/flags/new`);
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill('half-typed');
  await page.getByLabel('Percentage of condition 1').fill('35');
  // the session ends elsewhere
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create flag' }).click();
  await logInAgain(page);
  expect(await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue()).toBe('half-typed');
  expect(await page.getByLabel('Percentage of condition 1').inputValue()).toBe('35');
  await page.getByRole('button', { name: 'Create flag' }).click();
  await page.waitForURL(/\/flags\/\d+$/);
  await close();
});
