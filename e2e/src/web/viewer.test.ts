import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { RESOURCES } from '../../../packages/web/src/app/access-levels.js';
import { type AppPage, goTo, joined, loggedIn, settled } from '../testing/app-pages.js';
import { addressesOf, makeOneOfEach } from '../testing/app-screens.js';
import { pressAll, quietOf } from '../testing/press-all.js';
import { startForStories } from '../testing/start-for-stories.js';

/*
 * What people with few rights see. `npm run bench -- walks` presses everything on every screen that the router has, which takes minutes;
 * `npm test` does so on the screens of objects and those with each kind of control.
 */

let service: Service;
let browser: Browser;
let objects: Record<string, string> = {};
startForStories(async (started) => {
  ({ service, browser } = started);
  objects = await makeOneOfEach(service);
});

const API = '/api/environments/@current';

async function put(path: string, body: object): Promise<void> {
  const { status, body: answer } = await service.call('PUT', `${API}/${path}/`, { body });
  expect([path, body, status, answer]).toEqual([path, body, 200, expect.anything()]);
}

async function made(path: string, body: object): Promise<{ id: number }> {
  const answer = await service.post(`${API}/${path}/`, body);
  expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()]);
  return answer.body as { id: number };
}

/** Notes refused requests and errors of a page, each with what was done last. */
function faultsOf(page: AppPage) {
  let done = '';
  const faults = new Set<string>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (response.status() === 403 || response.status() >= 500)
      faults.add(`${done}: ${response.status()} ${response.request().method()} ${pathname}`);
  });
  page.on('pageerror', ({ message }) => faults.add(`${done}: ${message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.add(`${done}: ${message.text()}`);
  });
  const note = (what: string) => {
    done = what;
  };
  return { note, list: () => [...faults] };
}

/** The part of the screens on which `npm test` presses everything. */
const PART = [
  '/dashboards/$id',
  '/insights/$shortId',
  '/persons/$id',
  '/definitions',
  '/flags/$id',
  '/experiments/$id',
  '/surveys/$id',
  '/sql',
  '/settings/profile',
];
/** What is among them, each with presses of its own. */
const KINDS = ['main button', 'main tab', 'main label', 'menu menuitem', 'dialog button', 'dialog tab'];
const screens = process.env.TEST_EVERY_SCREEN ? undefined : PART;

// hundreds of presses: a slow machine needs minutes
test('a viewer finds no button on a screen, in a menu or dialog that fails', { timeout: 2_400_000 }, async () => {
  const viewer = await joined(service, `viewer-${Date.now()}@example.com`);
  for (const { resource } of RESOURCES) await put('resource_access_controls', { resource, access_level: 'viewer' });
  const { page, close } = await loggedIn(browser, service, viewer);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
  const { note, list } = faultsOf(page);
  const presses: string[] = [];
  for (const address of addressesOf(objects, screens))
    presses.push(...(await pressAll(page, service.url + address, (pressed) => note([address, ...pressed].join(' > ')))));
  expect(list()).toEqual([]);
  // the walk has seen each kind of control, and more than the heads of screens
  expect(presses).toEqual(expect.arrayContaining(KINDS));
  expect(presses.length).toBeGreaterThan(50);
  await close();
});

test('a member to whom one dashboard, flag and insight are closed sees them nowhere, and their addresses say so', {
  timeout: 1_200_000,
}, async () => {
  const [dashboard, flag, insight] = await Promise.all([
    made('dashboards', { name: 'Closed board', pinned: true }),
    made('feature_flags', { key: `closed-flag-${Date.now()}` }),
    made('insights', { name: 'Closed insight' }),
  ]);
  await put(`dashboards/${dashboard.id}/access_controls`, { access_level: 'none' });
  await put(`feature_flags/${flag.id}/access_controls`, { access_level: 'none' });
  await put(`insights/${insight.id}/access_controls`, { access_level: 'none' });
  for (const { resource } of RESOURCES) await put('resource_access_controls', { resource, access_level: 'editor' });
  const member = await joined(service, `member-${Date.now()}@example.com`);
  const { page, close } = await loggedIn(browser, service, member);
  const { note, list } = faultsOf(page);
  const quiet = quietOf(page);
  const seen: string[] = [];
  await page.goto(`${service.url}/p/1`);
  await settled(page);
  for (const address of addressesOf(objects)) {
    note(address);
    await goTo(page, address);
    await quiet();
    if (/closed[ -](board|flag|insight)/i.test((await page.locator('body').textContent()) ?? '')) seen.push(address);
  }
  note('the palette');
  await goTo(page, '/p/1');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').or(page.getByRole('dialog').getByRole('searchbox')).fill('closed');
  await quiet();
  expect(await page.getByRole('option', { name: /^Closed/i }).count()).toBe(0);
  expect([list(), seen]).toEqual([[], []]);

  for (const [path, what] of [
    [`/dashboards/${dashboard.id}`, 'dashboard'],
    [`/flags/${flag.id}`, 'flag'],
  ] as const) {
    await page.goto(`${service.url}/p/1${path}`);
    await page.getByRole('heading', { level: 1, name: 'No access' }).waitFor();
    await page.getByText(`You cannot see this ${what}`).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  }
  await close();
});
