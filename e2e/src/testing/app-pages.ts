import { fileURLToPath } from 'node:url';
import type { Browser, Service } from '@tidemark/testkit';
import { afterEach, expect } from 'vitest';
import { expectFocus } from './focus.js';
import { axe, COLOR_RULES, DRAWS, isTooWide, type Visit, watchedPage } from './public-pages.js';

/** Folder of screenshots of the app, for review after a run; ignored by git. */
export const APP_PICTURES = fileURLToPath(new URL('../../../.cache/app/', import.meta.url));

export type AppPage = Awaited<ReturnType<typeof watchedPage>>['page'];
type Locator = ReturnType<AppPage['getByRole']>;

/** Timeout of waits in a page of the app, milliseconds: enough for a machine that stalls, and less than a test may take. */
const PATIENCE = 100_000;

/** A page in a new context, which records its errors and requested URLs. */
export async function appPage(browser: Browser, visit: Visit = {}) {
  const watched = await watchedPage(browser, { width: 1440, ...visit });
  watched.page.setDefaultTimeout(PATIENCE);
  return watched;
}

/** Draws what is in sight of a page, or all of it. */
const draw = (page: AppPage, name: string, fullPage = false) => page.screenshot({ path: `${APP_PICTURES}${name}.png`, fullPage });

/** Does so with `TEST_PICTURES=1`. */
export async function keepAppPicture(page: AppPage, name: string, fullPage = false): Promise<void> {
  if (DRAWS) await draw(page, name, fullPage);
}

/**
 * A page in a new context in which somebody is logged in, by default the owner of the service. It is still empty.
 * @returns with the path of the project, such as `/p/1`
 */
export async function loggedIn(
  browser: Browser,
  { url, account }: Pick<Service, 'url' | 'account'>,
  { email = account.email, password = account.password, ...visit }: Visit & { email?: string; password?: string } = {},
) {
  const watched = await appPage(browser, visit);
  const { request } = watched.page.context();
  const answer = await request.post(`${url}/api/login/`, { data: { email, password } });
  expect([email, answer.status()]).toEqual([email, 200]);
  const me: { team: { id: number } } = await (await request.get(`${url}/api/users/@me/`)).json();
  return { ...watched, project: `/p/${me.team.id}` };
}

/** The same, with the app's home open. */
export async function loggedInAtHome(...[browser, service, visit]: Parameters<typeof loggedIn>) {
  const watched = await loggedIn(browser, service, visit);
  await watched.page.goto(service.url);
  await watched.page.waitForURL(/\/p\/\d+/);
  return watched;
}

/** Lets somebody join the organization of the owner by an invite. @returns how they log in */
export async function joined(service: Service, email: string): Promise<{ email: string; password: string }> {
  const { body: me } = await service.get('/api/users/@me/');
  const { organization } = me as { organization: { id: string } };
  const { body: invite } = await service.post(`/api/organizations/${organization.id}/invites/`, { target_email: email });
  const password = 'correct horse of a viewer';
  const body = { first_name: 'Vera', password };
  const { status } = await service.call('POST', `/api/signup/${(invite as { id: string }).id}/`, { key: null, body });
  expect(status).toBeLessThan(300);
  return { email, password };
}

/** Colors change over some milliseconds, those of what inherits a color after it. */
export const endTransitions = `() => {
  for (let changing = document.getAnimations(); changing.some((one) => one instanceof CSSTransition); changing = document.getAnimations()) {
    for (const one of changing) if (one instanceof CSSTransition) one.finish();
  }
}`;

/** Shows a page in both themes, one after the other. @param look looks at it in one */
export async function inBothThemes(page: AppPage, look: (theme: 'light' | 'dark') => unknown): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'; (${endTransitions})()`);
    await look(theme);
  }
}

/** What axe finds in both themes; in the dark one what colors break alone, because the rest is the same. */
export async function faultsInBothThemes(page: AppPage): Promise<string[]> {
  const faults: string[] = [];
  await inBothThemes(page, async (theme) => {
    const found = await axe(page, theme === 'dark' ? COLOR_RULES : undefined);
    faults.push(...found.map((fault) => `${theme}: ${fault}`));
  });
  return faults;
}

/** Serious faults that axe finds in a theme; in the dark one those of colors alone, because the others are the same. */
export async function seriousFaults(page: AppPage, theme: 'light' | 'dark'): Promise<string[]> {
  const found = await axe(page, theme === 'dark' ? COLOR_RULES : 'serious');
  // the announcer of React Aria names busy buttons, which may be gone: that is no part of the screen
  const serious = found.filter((one) => /^(serious|critical)/.test(one) && !one.startsWith('serious role-img-alt'));
  return serious.map((fault) => `${theme}: ${fault}`);
}

/** Expects no serious fault in both themes, and no sideways scroll on a phone. @param picture name of its pictures; without it, none are drawn */
export async function expectAccessible(page: AppPage, picture?: string): Promise<void> {
  await inBothThemes(page, async (theme) => {
    expect(await seriousFaults(page, theme)).toEqual([]);
    if (picture) await keepAppPicture(page, `${picture}-${theme}`);
  });
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await isTooWide(page)).toBe(false);
  if (picture) await keepAppPicture(page, `${picture}-360`);
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** Closes the pages that are open after a test, and draws them first when it has failed. */
export function closePagesAfterEach(browserOf: () => Browser): void {
  afterEach(async ({ task }) => {
    const contexts = browserOf().contexts();
    const pages = task.result?.state === 'fail' ? contexts.flatMap((context) => context.pages()) : [];
    for (const [at, page] of pages.entries()) await draw(page, `failed-${task.name.slice(0, 40).replaceAll(/\W+/g, '-')}-${at}`);
    for (const context of contexts) await context.close();
  });
}

/** What a screen lacks that has its heading and is not loading anything; empty: nothing. Looking for roles would take much longer. */
const missing = `(() => {
  const isShown = (one) => one.getClientRects().length > 0;
  if (![...document.querySelectorAll('h1')].some(isShown)) return 'a heading';
  // an answer that is still that of the question before is dim
  return document.querySelector('[role=status][aria-label=Loading], [aria-busy=true]') ? 'what is loading' : '';
})()`;

/** Waits until the screen has its heading and nothing on it is loading. */
export async function settled(page: AppPage): Promise<void> {
  await expect.poll(() => page.evaluate<string>(missing).catch(String)).toBe('');
}

/** Goes to another screen of the app that is open in a page, as its links do: nothing is loaded anew. @param address of the same app */
export async function goTo(page: AppPage, address: string): Promise<void> {
  await page.evaluate(`new Promise((arrived) => {
    const stop = __TSR_ROUTER__.subscribe('onResolved', () => {
      stop();
      arrived();
    });
    history.pushState(null, '', ${JSON.stringify(address)});
  })`);
  await settled(page);
}

/** Most presses of Tab from one thing to the next. */
const MOST_TABS = 120;

/** Works a page by its keyboard alone: no method moves or presses a mouse. */
export function keyboardOf(page: AppPage) {
  const hasFocus = async (thing: Locator) => (await thing.and(page.locator(':focus')).count()) === 1;
  const self = {
    /** Presses Tab until a thing has the focus. @throws Error when it is not among the next stops */
    async to(thing: Locator): Promise<void> {
      await thing.first().waitFor({ state: 'attached' });
      // found once, and again when it was drawn anew: looking for it takes longer than a press of Tab
      let found = await thing.elementHandles();
      for (let tabs = 0; tabs < MOST_TABS; tabs++) {
        if (!(await page.evaluate((all) => all.some((one) => one.isConnected), found))) found = await thing.elementHandles();
        if (await page.evaluate((all) => all.some((one) => one === document.activeElement), found))
          return expectFocus(page, `on ${thing}`);
        await page.keyboard.press('Tab');
      }
      throw new Error(`The Tab key does not lead to ${thing}.`);
    },
    /** Goes to a thing, and presses it. */
    async press(thing: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
      await self.to(thing);
      await page.keyboard.press(key);
    },
    /** Goes to a field, and types a text. */
    async type(field: Locator, text: string): Promise<void> {
      await self.to(field);
      await page.keyboard.type(text);
    },
    /** Opens a menu, and goes down to a row of it. */
    async choose(menu: Locator, row: string | RegExp): Promise<void> {
      await self.press(menu);
      const found = page.getByRole('menuitem', { name: row });
      await found.waitFor();
      for (let rows = 0; rows < 20 && !(await hasFocus(found)); rows++) await page.keyboard.press('ArrowDown');
      expect(await hasFocus(found)).toBe(true);
      await page.keyboard.press('Enter');
    },
    /** Opens a list without a search field, and goes to an option of it. */
    async select(list: Locator, option: string): Promise<void> {
      await self.press(list);
      const found = page.getByRole('option', { name: option, exact: true });
      await found.waitFor();
      for (let options = 0; options < 20 && !(await hasFocus(found)); options++) await page.keyboard.press('ArrowDown');
      expect(await hasFocus(found)).toBe(true);
      await page.keyboard.press('Enter');
    },
    /** Chooses one of some radio buttons by the arrow keys. */
    async pick(group: Locator, option: string): Promise<void> {
      const checked = group.getByRole('radio', { checked: true });
      await self.to((await checked.count()) > 0 ? checked : group.getByRole('radio').first());
      const found = group.getByRole('radio', { name: option });
      for (let options = 0; options < 20 && !(await found.isChecked()); options++) await page.keyboard.press('ArrowRight');
      expect(await found.isChecked()).toBe(true);
      await expectFocus(page, `on ${option}`);
    },
    /** Types into the search field that has the focus, goes down to an option, and takes it. */
    async find(text: string, option: string | RegExp): Promise<void> {
      await page.keyboard.type(text);
      const found = page.getByRole('option', { name: option }).first();
      await found.waitFor();
      const isChosen = async () => (await found.and(page.locator('[data-focused]')).count()) === 1;
      for (let options = 0; options < 20 && !(await isChosen()); options++) await page.keyboard.press('ArrowDown');
      expect(await isChosen()).toBe(true);
      await page.keyboard.press('Enter');
    },
  };
  return self;
}
