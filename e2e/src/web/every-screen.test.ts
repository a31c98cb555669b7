import { type Browser, type Service, startService } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { RESOURCES } from '../../../packages/web/src/app/access-levels.js';
import { type AppPage, goTo, inBothThemes, joined, loggedIn, seriousFaults, settled } from '../testing/app-pages.js';
import { addressesOf, makeOneOfEach, screensOfRouter } from '../testing/app-screens.js';
import { cutOff } from '../testing/cut-off.js';
import { isTooWide } from '../testing/public-pages.js';
import { startForStories } from '../testing/start-for-stories.js';

/*
 * Every screen that the router has: full, empty, failing and closed, and each on a phone. The full ones are looked at in both themes; the
 * messages of the others, which the test of the gallery looks at in both, in one.
 */

let service: Service;
let browser: Browser;
let objects: Record<string, string> = {};
startForStories(async (started) => {
  ({ service, browser } = started);
  objects = await makeOneOfEach(service);
});

/** Many screens: a slow machine needs minutes. */
const PATIENCE = { timeout: 2_400_000 };
/** Colors change at once, so that axe sees those of the theme. */
const AT_ONCE = { bypassCSP: true, hasReducedMotion: true };
const PHONE = { width: 360, height: 800 };
const WIDE = { width: 1280, height: 800 };

/** What is wrong on the screen in sight: for axe, or cut off on a phone. @param isFull whether it differs from the others in more than a message */
async function faultsOf(page: AppPage, address: string, isFull: boolean): Promise<string[]> {
  const found: string[] = [];
  if (isFull) await inBothThemes(page, async (theme) => found.push(...(await seriousFaults(page, theme))));
  else found.push(...(await seriousFaults(page, 'light')));
  await page.setViewportSize(PHONE);
  if (await isTooWide(page)) found.push('wider than a phone');
  found.push(...(await cutOff(page)).map((text) => `cut off on a phone: ${text}`));
  await page.setViewportSize(WIDE);
  return found.map((fault) => `${new URL(address).pathname} ${fault}`);
}

async function faultsOfAll(page: AppPage, addresses: readonly string[], isFull = false): Promise<string[]> {
  await page.setViewportSize(WIDE);
  const faults: string[] = [];
  for (const [index, address] of addresses.entries()) {
    // a full one is loaded, as by a bookmark; the app goes to the others by its router, as by links, which costs less
    if (index > 0 && !isFull) await goTo(page, address);
    else {
      await page.goto(address);
      await settled(page);
    }
    faults.push(...(await faultsOf(page, address, isFull)));
  }
  return faults;
}

const urls = ({ url }: Service) => addressesOf(objects).map((address) => url + address);

test('full', PATIENCE, async () => {
  const { page, close } = await loggedIn(browser, service, AT_ONCE);
  expect(await faultsOfAll(page, urls(service), true)).toEqual([]);
  await close();
});

test('empty, in a new project', PATIENCE, async () => {
  const empty = await startService();
  try {
    const { page, project, close } = await loggedIn(browser, empty, AT_ONCE);
    const lists = screensOfRouter().filter((one) => one.startsWith('/p/$project') && !one.replace('$project', '').includes('$'));
    const addresses = lists.map((one) => empty.url + one.replace('/p/$project', project).replace(/\/$/, ''));
    expect(await faultsOfAll(page, addresses)).toEqual([]);
    await close();
  } finally {
    await empty.close();
  }
});

/** What the frame of every screen needs, and no screen alone. */
const OF_FRAME = /\/api\/(session|users\/(@|%40)me|projects\/\d+|environments\/\d+)\/(\?|$)|_preflight/;

test('failing, while the service refuses to answer', PATIENCE, async () => {
  const { page, close } = await loggedIn(browser, service, AT_ONCE);
  const json = { type: 'server_error', code: 'error', detail: 'The service failed.', attr: null };
  await page.route(/\/api\//, (route) =>
    OF_FRAME.test(route.request().url()) ? route.continue() : route.fulfill({ status: 500, json }),
  );
  expect(await faultsOfAll(page, urls(service))).toEqual([]);
  await close();
});

test('closed, to somebody who may see nothing', PATIENCE, async () => {
  for (const { resource } of RESOURCES) {
    const body = { resource, access_level: 'none' };
    const { status } = await service.call('PUT', '/api/environments/@current/resource_access_controls/', { body });
    expect([resource, status]).toEqual([resource, 200]);
  }
  const stranger = await joined(service, `stranger-${Date.now()}@example.com`);
  const { page, close } = await loggedIn(browser, service, { ...AT_ONCE, ...stranger });
  expect(await faultsOfAll(page, urls(service))).toEqual([]);
  await close();
});
