import { readFile } from 'node:fs/promises';
import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite } from '../browser-site.js';
import { type AppPage, appPage, closePagesAfterEach, keepAppPicture, keyboardOf } from '../testing/app-pages.js';

let browser: Browser;
let site: Site;
/** What the newcomer put into the page of the site. */
let snippet = '';
closePagesAfterEach(() => browser);
beforeAll(async () => {
  browser = await launchBrowser();
  // the page keeps the events of robots, which headless browsers count as
  site = await startSite((path) => ({
    html: `<!doctype html><title>Shop</title><h1>Shop</h1><a href="/kettle">Kettle</a> ${path}${snippet.replace('<script ', '<script data-opt_out_useragent_filter="true" ')}`,
  }));
});
afterAll(async () => {
  await browser?.close();
  site?.close();
});

const services: Service[] = [];
afterAll(() => Promise.all(services.map((service) => service.close())));

/** A service of which nobody has an account yet. */
async function freshService(): Promise<Service> {
  const service = await startService({ env: { TIDEMARK_INIT_EMAIL: '', TIDEMARK_INIT_PASSWORD: '' } });
  services.push(service);
  return service;
}

const PASSWORD = 'tides rise and fall twice a day';
const heading = (page: AppPage, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const copied = (page: AppPage) => page.evaluate<string>('navigator.clipboard.readText()');
const numbers = (page: AppPage) => page.getByRole('region', { name: 'Numbers' });

async function openedApp(service: Service) {
  const visit = await appPage(browser);
  await visit.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await visit.page.addInitScript(
    `addEventListener('pointerdown', () => (sessionStorage.presses = 1 + Number(sessionStorage.presses ?? 0)), true)`,
  );
  await visit.page.goto(service.url);
  await heading(visit.page, 'Make the first account');
  return visit;
}

/** Visits the site as somebody else would, with the snippet in its page. */
async function visitSite(): Promise<void> {
  const { page, close } = await appPage(browser);
  await page.goto(site.url);
  await page.getByRole('link', { name: 'Kettle' }).click();
  await page.waitForURL(/kettle/);
  await page.waitForLoadState('networkidle');
  await close();
}

/** Width and height of a PNG. @throws Error when the file is none */
async function pictureSize(path: string): Promise<{ width: number; height: number; bytes: number }> {
  const file = await readFile(path);
  expect(file.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20), bytes: file.length };
}

/** Expects that a visitor without an account sees a dashboard by its public link. */
async function expectPublic(link: string): Promise<void> {
  const { page, problems, close } = await appPage(browser);
  await page.goto(link);
  await page.getByRole('heading', { name: 'My shop' }).waitFor();
  await page.getByText('Views of pages').first().waitFor();
  await keepAppPicture(page, 'newcomer-7-public-page');
  expect(problems).toEqual([]);
  await close();
}

async function printEffort(page: AppPage, how: string, began: number): Promise<number> {
  const seconds = (performance.now() - began) / 1_000;
  const presses = await page.evaluate<number>('Number(sessionStorage.presses ?? 0)');
  console.log(`The story of the newcomer, ${how}: ${seconds.toFixed(1)} s, ${presses} clicks`);
  // five minutes of a person who reads; the rest of them
  expect(seconds).toBeLessThan(300);
  return presses;
}

test('a newcomer makes account, snippet, event, insight, dashboard, public link and picture', async () => {
  const service = await freshService();
  const { page, problems, close } = await openedApp(service);
  const began = performance.now();
  await keepAppPicture(page, 'newcomer-1-set-up');
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Organization').fill('Lovelace');
  await page.getByRole('button', { name: 'Create account and project' }).click();

  await heading(page, 'Install Tidemark');
  await page.getByText('Waiting for the first event').waitFor();
  await keepAppPicture(page, 'newcomer-2-install');
  await page.getByRole('button', { name: 'Copy the snippet' }).click();
  await expect.poll(() => copied(page)).toContain(`${service.url}/static/tidemark.js`);
  snippet = await copied(page);
  await visitSite();
  // it appears by itself
  await page.getByRole('heading', { name: 'An event arrived' }).waitFor();
  await keepAppPicture(page, 'newcomer-3-event');

  await page.getByRole('link', { name: 'See it on a chart' }).click();
  await heading(page, 'New insight');
  await numbers(page).getByText('Page view').first().waitFor();
  await keepAppPicture(page, 'newcomer-4-chart');

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboards' }).click();
  await page.getByRole('button', { name: 'New dashboard' }).first().click();
  await page.getByLabel('Name').fill('My shop');
  await page.getByRole('button', { name: 'Create dashboard' }).click();
  await heading(page, 'My shop');
  await page.getByRole('button', { name: 'Add', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'New insight' }).click();
  await numbers(page).getByText('Page view').first().waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByLabel('Name').fill('Views of pages');
  await page.getByRole('button', { name: 'Save insight' }).click();
  await heading(page, 'Views of pages');
  await keepAppPicture(page, 'newcomer-5-insight');

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboards' }).click();
  await page.getByRole('link', { name: 'My shop' }).click();
  await page.getByRole('link', { name: 'Views of pages' }).waitFor();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('switch', { name: /Anyone with the link/ }).click({ force: true });
  await page.getByRole('button', { name: 'Copy the link' }).click();
  await keepAppPicture(page, 'newcomer-6-share');
  await expect.poll(() => copied(page)).toContain('/shared/');
  await expectPublic(await copied(page));
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /PNG/ }).click();
  const picture = await pictureSize(await (await download).path());
  expect(picture.bytes).toBeGreaterThan(5_000);
  expect(picture.width).toBeGreaterThan(600);
  expect(picture.height).toBeGreaterThan(200);
  await keepAppPicture(page, 'newcomer-8-dashboard');
  expect(await printEffort(page, 'by mouse', began)).toBeLessThan(25);
  expect(problems).toEqual([]);
  await close();
});

test('the same story by the keyboard alone', async () => {
  const service = await freshService();
  const { page, problems, close } = await openedApp(service);
  const keys = keyboardOf(page);
  const began = performance.now();
  await keys.type(page.getByLabel('Your name'), 'Ada Lovelace');
  await keys.type(page.getByLabel('E-mail'), 'ada@example.com');
  await keys.type(page.getByLabel('Password', { exact: true }), PASSWORD);
  await keys.type(page.getByLabel('Organization'), 'Lovelace');
  await page.keyboard.press('Enter');

  await heading(page, 'Install Tidemark');
  await page.getByText('Waiting for the first event').waitFor();
  await keys.press(page.getByRole('button', { name: 'Copy the snippet' }));
  await expect.poll(() => copied(page)).toContain(`${service.url}/static/tidemark.js`);
  snippet = await copied(page);
  await visitSite();
  await page.getByRole('heading', { name: 'An event arrived' }).waitFor();
  await keys.press(page.getByRole('link', { name: 'See it on a chart' }));
  await heading(page, 'New insight');
  await numbers(page).getByText('Page view').first().waitFor();

  // G then D, N, and the palette
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await heading(page, 'Dashboards');
  await page.keyboard.press('n');
  await keys.type(page.getByLabel('Name'), 'My shop');
  await page.keyboard.press('Enter');
  await heading(page, 'My shop');
  await keys.choose(page.getByRole('button', { name: 'Add', exact: true }).first(), 'New insight');
  await numbers(page).getByText('Page view').first().waitFor();
  await page.keyboard.press('s');
  await keys.type(page.getByLabel('Name'), 'Views of pages');
  await page.keyboard.press('Enter');
  await heading(page, 'Views of pages');

  await page.keyboard.press('Control+k');
  await page.keyboard.type('go to dash');
  await page.getByRole('option', { name: /Go to Dashboards/ }).waitFor();
  // the first result is chosen already
  await page.keyboard.press('Enter');
  await heading(page, 'Dashboards');
  await keys.press(page.getByRole('link', { name: 'My shop' }));
  await page.getByRole('link', { name: 'Views of pages' }).waitFor();
  await keys.press(page.getByRole('button', { name: 'Share' }));
  await keys.press(page.getByRole('switch', { name: /Anyone with the link/ }), 'Space');
  await keys.press(page.getByRole('button', { name: 'Copy the link' }));
  await expect.poll(() => copied(page)).toContain('/shared/');
  await expectPublic(await copied(page));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  const download = page.waitForEvent('download');
  await keys.choose(page.getByRole('button', { name: 'Export' }), /PNG/);
  expect((await pictureSize(await (await download).path())).bytes).toBeGreaterThan(5_000);
  expect(await printEffort(page, 'by keyboard', began)).toBe(0);
  expect(problems).toEqual([]);
  await close();
});
