import type { Browser, Service } from '@tidemark/testkit';
import { type AppPage, appPage, keyboardOf } from './app-pages.js';
import { expectFocus } from './focus.js';

/** Presses keys in turn. */
export async function press(page: AppPage, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** A page in which somebody has logged in by the form and the keyboard alone, by default the owner of the service. */
export async function logInByKeyboard(
  browser: Browser,
  { url, account }: Pick<Service, 'url' | 'account'>,
  { email, password }: { email: string; password: string } = account,
) {
  const visit = await appPage(browser, { hasReducedMotion: true });
  const { page } = visit;
  const keys = keyboardOf(page);
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${url}/login`);
  await keys.type(page.getByLabel('E-mail'), email);
  await keys.type(page.getByLabel('Password', { exact: true }), password);
  await page.keyboard.press('Enter');
  await heading(/^Good/);
  await expectFocus(page, 'logged in');
  // the browser reports the 401 by which the page knew that nobody was logged in
  visit.problems.length = 0;
  return {
    ...visit,
    keys,
    heading,
    type: (text: string) => page.keyboard.type(text),
    copied: () => page.evaluate<string>('navigator.clipboard.readText()'),
  };
}
