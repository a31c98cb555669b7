import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { test } from 'vitest';
import { appPage, expectAccessible, keepPicturesOfFailures, settled } from '../testing/app-pages.js';
import { startForStories } from '../testing/start-for-stories.js';

/* The forms before the log-in, in both themes and on a phone. */

let service: Service;
let browser: Browser;
keepPicturesOfFailures(() => browser);
startForStories(
  async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  },
  async () => {
    await browser?.close();
    await service?.close();
  },
);

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
