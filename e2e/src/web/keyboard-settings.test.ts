import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { appPage, keyboardOf } from '../testing/app-pages.js';
import { expectFocus } from '../testing/focus.js';
import { logInByKeyboard, press } from '../testing/keyboard-stories.js';
import { startForStories } from '../testing/start-for-stories.js';

/* People, API keys, public links and the shortcuts themselves by the keyboard alone. */

let service: Service;
let browser: Browser;
startForStories((started) => {
  ({ service, browser } = started);
});

const PASSWORD = 'a long and fine passphrase 42';
/** People who were invited; a second try of the story invites another one. */
let invited = 0;

test('a person is invited, joins by the link, gets a level, and logs in again', async () => {
  const { page, keys, heading, copied, problems, close } = await logInByKeyboard(browser, service);
  const name = `Ben ${++invited}`;
  const email = `ben-${invited}@example.com`;
  const open = (place: string) =>
    keys.press(page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: place, exact: true }));
  await press(page, 'g', 's');
  await heading('General');
  await expectFocus(page, 'the settings');
  await open('Members and access');
  await heading('Members and access');
  await page.getByRole('button', { name: 'Invite', exact: true }).waitFor();
  await press(page, 'n');
  await keys.type(page.getByLabel('E-mail', { exact: true }), email);
  await press(page, 'Enter');
  await page.getByText(`${service.url}/invite/`).waitFor();
  await expectFocus(page, 'the link is made');
  await keys.press(page.getByRole('button', { name: 'Copy the invite link' }));
  await expect.poll(copied).toContain('/invite/');
  const link = await copied();
  await keys.press(page.getByRole('button', { name: 'Done' }));
  await page.getByRole('button', { name: `Copy link for ${email}` }).waitFor();
  await expectFocus(page, 'the panel is closed');

  const ben = await appPage(browser);
  const benKeys = keyboardOf(ben.page);
  await ben.page.goto(link);
  await benKeys.type(ben.page.getByLabel('Your name'), name);
  await benKeys.type(ben.page.getByLabel('Password', { exact: true }), PASSWORD);
  await press(ben.page, 'Enter');
  await ben.page.getByRole('heading', { level: 1, name: /^Good/ }).waitFor();
  await expectFocus(ben.page, 'Ben has joined');
  await benKeys.choose(ben.page.getByRole('button', { name: /^Account of/ }).first(), 'Log out');
  await ben.page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
  await expectFocus(ben.page, 'Ben is logged out');
  await ben.close();

  await page.reload();
  await keys.press(page.getByRole('link', { name, exact: true }));
  await keys.pick(page.getByRole('radiogroup', { name: 'Level in the organization' }), 'Administrator');
  await page
    .getByRole('row', { name: new RegExp(name) })
    .getByRole('cell', { name: 'Administrator of the organization' })
    .waitFor();
  await press(page, 'Escape');
  await page.getByRole('radiogroup', { name: 'Level in the organization' }).waitFor({ state: 'detached' });
  await expectFocus(page, 'the person is closed');
  const again = await logInByKeyboard(browser, service, { email, password: PASSWORD });
  expect([...problems, ...again.problems]).toEqual([]);
  await again.close();
  await close();
});

test('a key is made with scopes, and its secret is copied', async () => {
  const { page, keys, heading, copied, problems, close } = await logInByKeyboard(browser, service);
  await press(page, 'g', 's');
  await heading('General');
  await keys.press(page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'API keys', exact: true }));
  await heading('API keys');
  await page.getByRole('button', { name: 'New key' }).first().waitFor();
  await press(page, 'n');
  await keys.type(page.getByLabel('Name', { exact: true }), 'Nightly report');
  await keys.pick(page.getByRole('radiogroup', { name: 'Start from' }), 'Read all');
  await keys.press(page.getByRole('button', { name: 'Create key' }));
  const fresh = page.getByRole('region', { name: 'New key' });
  await fresh.waitFor();
  await expectFocus(page, 'the key is made');
  await keys.press(fresh.getByRole('button', { name: 'Copy the key' }));
  await expect.poll(copied).toMatch(/^tms_/);
  const answer = await fetch(`${service.url}/api/projects/@current/`, { headers: { authorization: `Bearer ${await copied()}` } });
  expect(answer.status).toBe(200);
  await keys.press(fresh.getByRole('button', { name: 'Hide the key' }));
  await fresh.waitFor({ state: 'detached' });
  await expectFocus(page, 'the key is hidden');
  expect(problems).toEqual([]);
  await close();
});

test('a dashboard is shared with a password', async () => {
  const { body } = await service.post('/api/projects/@current/dashboards/', { name: 'For the board' });
  const { page, keys, heading, problems, close } = await logInByKeyboard(browser, service);
  await press(page, 'g', 'd');
  await heading('Dashboards');
  await keys.press(page.getByRole('link', { name: 'For the board' }));
  await heading('For the board');
  await keys.press(page.getByRole('button', { name: 'Share' }));
  const dialog = page.getByRole('dialog', { name: 'Share "For the board"' });
  await keys.press(dialog.getByRole('switch', { name: /Anyone with the link/ }), 'Space');
  await keys.press(dialog.getByRole('switch', { name: 'Visitors must give a password' }), 'Space');
  await dialog.getByText('Shown once:').waitFor();
  await expectFocus(page, 'the password is shown');
  await keys.press(dialog.getByRole('button', { name: 'Add password' }));
  await dialog.getByText('Password 2').waitFor();
  await keys.press(dialog.getByRole('button', { name: 'Remove' }).first());
  await dialog.getByText('First').waitFor({ state: 'detached' });
  await expectFocus(page, 'a password is removed');
  await press(page, 'Escape');
  await dialog.waitFor({ state: 'detached' });
  await expectFocus(page, 'the dialog is closed');
  const { id } = body as { id: number };
  expect((await service.get(`/api/projects/@current/dashboards/${id}/sharing/`)).body).toMatchObject({
    enabled: true,
    password_required: true,
  });
  expect(problems).toEqual([]);
  await close();
});

test('the sheet lists the keys of the screen, and letters in a text field are no shortcuts', async () => {
  const { page, keys, heading, type, problems, close } = await logInByKeyboard(browser, service);
  await press(page, 'g', 'e');
  await heading('Events');
  await press(page, '?');
  const sheet = page.getByRole('dialog', { name: 'Keys and help' });
  for (const [what, key] of [
    ['Go to Flags', 'G then F'],
    ['Search or go to', 'Ctrl K'],
    ['Search this list', '/'],
    ['Pause or go on', 'Space'],
  ] as const)
    await expect.poll(() => sheet.getByText(what, { exact: true }).locator('..').textContent()).toBe(what + key);
  expect((await sheet.locator('kbd').allTextContents()).filter((text) => text.trim() === '' || text.startsWith(' '))).toEqual([]);
  await press(page, 'Escape');
  await sheet.waitFor({ state: 'detached' });
  await expectFocus(page, 'the sheet is closed');

  await press(page, 'g', 'f');
  await heading('Flags');
  await press(page, '/');
  const search = page.getByRole('searchbox', { name: 'Search flags' });
  await expect.poll(() => search.and(page.locator(':focus')).count()).toBe(1);
  await type('gd n?/');
  await expect.poll(() => search.inputValue()).toBe('gd n?/');
  await heading('Flags');
  expect(await page.getByRole('dialog').count()).toBe(0);
  // a shortcut with a modifier works there too
  await press(page, 'Control+k');
  await page.getByRole('dialog', { name: 'Search or go to' }).waitFor();
  await press(page, 'Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => search.and(page.locator(':focus')).count()).toBe(1);
  await keys.press(page.getByRole('button', { name: 'Show all flags' }));
  await expectFocus(page, 'all flags are shown');
  expect(problems).toEqual([]);
  await close();
});
