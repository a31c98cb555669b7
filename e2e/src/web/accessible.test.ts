import { type Browser, type Service, startService } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { type AppPage, appPage, expectAccessible, loggedIn, settled } from '../testing/app-pages.js';
import { startForStories } from '../testing/start-for-stories.js';

/* What stands around the screens: the forms before the log-in, and the menus and dialogs of the frame. Both themes, and a phone. */

let service: Service;
let browser: Browser;
startForStories((started) => {
  ({ service, browser } = started);
});

/** Colors change at once, so that axe sees those of the theme. */
const AT_ONCE = { bypassCSP: true, hasReducedMotion: true };

test('the forms before the log-in keep the rules of axe', async () => {
  const { body: me } = await service.get('/api/users/@me/');
  const { organization } = me as { organization: { id: string } };
  const email = `guest-${Date.now()}@example.com`;
  const { body: invite } = await service.post(`/api/organizations/${organization.id}/invites/`, { target_email: email });
  const { page, close } = await appPage(browser, AT_ONCE);
  for (const [path, name] of [
    ['/login', 'log-in'],
    [`/invite/${(invite as { id: string }).id}`, 'invite'],
    [`/invite/${crypto.randomUUID()}`, 'invite-gone'],
    [`/reset/${crypto.randomUUID()}`, 'reset'],
  ] as const) {
    await page.goto(service.url + path);
    await settled(page);
    await expectAccessible(page, `form-${name}`);
  }
  await page.goto(`${service.url}/login`);
  await page.getByLabel('E-mail').fill('nobody@example.com');
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  await expectAccessible(page, 'form-log-in-refused');
  await close();
});

test('the form of the first account keeps the rules of axe', async () => {
  const empty = await startService({ env: { TIDEMARK_INIT_EMAIL: '', TIDEMARK_INIT_PASSWORD: '' } });
  try {
    const { page, close } = await appPage(browser, AT_ONCE);
    await page.goto(`${empty.url}/setup`);
    await page.getByRole('button', { name: 'Create account' }).waitFor();
    await expectAccessible(page, 'form-set-up');
    await close();
  } finally {
    await empty.close();
  }
});

test('home, the palette, the sheet of keys, menus and the log-in over an ended session keep the rules of axe', async () => {
  const { page, project, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(service.url + project);
  await settled(page);
  await expectAccessible(page, 'frame-home');
  for (const [key, name] of [
    ['Control+k', 'Search or go to'],
    ['?', 'Keys and help'],
  ] as const) {
    await page.keyboard.press(key);
    await page.getByRole('dialog', { name }).waitFor();
    await expectAccessible(page, `frame-${key === '?' ? 'keys' : 'palette'}`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name }).waitFor({ state: 'detached' });
  }
  // a pop closes when the size of the window changes: no picture of it on a phone
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('dialog', { name: 'More' }).getByRole('link', { name: 'Flags' }).waitFor();
  await expectAccessible(page, 'frame-more');
  await page.keyboard.press('Escape');

  await page.goto(`${service.url}${project}/flags/new`);
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill('half-typed');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create flag' }).click();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await expectAccessible(page, 'frame-session-ended');
  await close();
});

/** Waits until the app has loaded what it may need next. */
const partsLoaded = (page: AppPage) =>
  expect
    .poll(() => page.evaluate<string>(`performance.getEntriesByType('resource').map(({ name }) => name).join()`))
    .toMatch(/(?=.*MenuPop-)(?=.*DialogBox-)(?=.*PaletteDialog-)(?=.*SessionEndedDialog-)/);

test('menus and dialogs open also while the service does not respond', async () => {
  const { page, project, close } = await loggedIn(browser, service);
  await page.goto(`${service.url}${project}/flags`);
  await settled(page);
  await partsLoaded(page);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Any kind' }).click();
  await page.getByRole('menuitem', { name: 'With variants' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Any kind' }).evaluate((button) => button === document.activeElement)).toBe(true);
  await page.keyboard.press('Control+k');
  await page
    .getByRole('dialog', { name: 'Search or go to' })
    .getByRole('option', { name: /^Go to Flags/ })
    .waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys and help' }).waitFor();
  await close();
});
