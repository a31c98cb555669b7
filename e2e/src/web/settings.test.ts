import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { goTo, loggedIn } from '../testing/app-pages.js';
import { axe, COLOR_RULES, isTooWide, watchedPage } from '../testing/public-pages.js';
import { startForStories } from '../testing/start-for-stories.js';

let service: Service;
let browser: Browser;
startForStories((started) => {
  ({ service, browser } = started);
});

type Page = Awaited<ReturnType<typeof watchedPage>>['page'];

const PASSWORD = 'a long and fine passphrase 42';
const PAGES = [
  ['project', 'General'],
  ['members', 'Members and access'],
  ['access', 'Access rules'],
  ['keys', 'API keys'],
  ['test-accounts', 'Test accounts'],
  ['capture', 'Capture'],
  ['recording', 'Recording'],
  ['addresses', 'Addresses'],
  ['organization', 'Organization'],
  ['projects', 'Projects'],
  ['roles', 'Roles'],
  ['health', 'Health'],
  ['profile', 'Profile'],
  ['security', 'Security'],
] as const;

/** A page in which the owner of the service is logged in, at the settings. */
async function ownerAtSettings(bypassCSP = false) {
  const visit = await loggedIn(browser, service, { bypassCSP, width: 1280 });
  const settings = `${service.url}${visit.project}/settings`;
  await visit.page.goto(`${settings}/project`);
  await heading(visit.page, 'General');
  return { ...visit, settings };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
/** Follows a link of the list of settings. */
const open = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true }).click();
const choose = (page: Page, group: string, option: string) =>
  page.getByRole('radiogroup', { name: group }).getByText(option, { exact: true }).click();
const readsProject = (key: string, method = 'GET') =>
  fetch(`${service.url}/api/projects/@current/`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(method === 'PATCH' && { body: '{"name":"Renamed"}' }),
  }).then(({ status }) => status);

test('the owner invites a person, who joins by the link, makes a key and uses it until the owner takes them out', async () => {
  const owner = await ownerAtSettings();
  await open(owner.page, 'Members and access');
  await owner.page.getByRole('button', { name: 'Invite', exact: true }).click();
  await owner.page.getByLabel('E-mail', { exact: true }).fill('ben@example.com');
  await owner.page.getByRole('button', { name: 'Create link' }).click();
  const link = (await owner.page.getByText(`${service.url}/invite/`).textContent()) ?? '';
  await owner.page.getByRole('button', { name: 'Done' }).click();
  await owner.page.getByRole('button', { name: 'Copy link for ben@example.com' }).waitFor();

  const ben = await watchedPage(browser, {});
  await ben.page.goto(link);
  await ben.page.getByLabel('Your name').fill('Ben');
  await ben.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await ben.page.getByRole('button', { name: 'Create account' }).click();
  await ben.page.getByRole('link', { name: 'Settings', exact: true }).click();

  // a member sees levels and reasons, and no button that would fail
  await open(ben.page, 'Members and access');
  await ben.page.getByRole('row', { name: /Ben/ }).getByRole('cell', { name: 'Everybody in the organization' }).waitFor();
  expect(await ben.page.getByRole('button', { name: 'Invite', exact: true }).count()).toBe(0);
  await ben.page.getByText('Administrators of the organization invite and remove people.').waitFor();
  await open(ben.page, 'Projects');
  await ben.page.getByText('Its administrators and owners create and delete projects.').waitFor();
  expect(await ben.page.getByRole('button', { name: 'New project' }).count()).toBe(0);

  await open(ben.page, 'API keys');
  await ben.page.getByRole('button', { name: 'New key' }).click();
  await ben.page.getByLabel('Name', { exact: true }).fill('Nightly report');
  await choose(ben.page, 'Start from', 'Read all');
  await ben.page.getByRole('button', { name: 'Create key' }).click();
  const fresh = ben.page.getByRole('region', { name: 'New key' });
  const key = (await fresh.getByText(/^tms_/).textContent()) ?? '';
  expect(await fresh.getByText(/^curl/).textContent()).toContain(`Authorization: Bearer ${key}`);
  expect(await readsProject(key)).toBe(200);
  expect(await readsProject(key, 'PATCH')).toBe(403);
  await ben.page.reload();
  await ben.page.getByRole('rowheader', { name: /Nightly report/ }).waitFor();
  expect(await ben.page.getByText(key).count()).toBe(0);

  // the owner gives a level, by a rule and by the organization
  await owner.page.reload();
  await owner.page.getByRole('link', { name: 'Ben', exact: true }).click();
  await owner.page.getByRole('button', { name: /Project settings: level of Ben/ }).click();
  await owner.page.getByRole('option', { name: 'Can view' }).click();
  await owner.page.getByText('A rule names this person').waitFor();
  await open(ben.page, 'Capture');
  await ben.page.reload();
  await ben.page.getByText('You can see these settings and not change them. Reason: A rule names this person.').waitFor();
  expect(await ben.page.getByRole('switch').count()).toBe(0);
  await choose(owner.page, 'Level in the organization', 'Administrator');
  await owner.page.getByRole('row', { name: /Ben/ }).getByRole('cell', { name: 'Administrator of the organization' }).waitFor();
  await open(ben.page, 'Members and access');
  await ben.page.reload();
  await ben.page.getByRole('button', { name: 'Invite', exact: true }).waitFor();

  // out, in by undo, out again
  const takeOut = owner.page.getByRole('button', { name: 'Take out' });
  await takeOut.click();
  await owner.page.getByRole('row', { name: /Ben/ }).getByText('No access').waitFor();
  expect(await readsProject(key)).not.toBe(200);
  await owner.page.getByRole('button', { name: 'Undo' }).click();
  await owner.page.getByRole('row', { name: /Ben/ }).getByText('Administrator', { exact: true }).waitFor();
  expect(await readsProject(key)).toBe(200);
  await takeOut.click();
  await owner.page.getByRole('button', { name: 'Remove for good' }).click();
  const dialog = owner.page.getByRole('dialog', { name: 'Remove Ben for good?' });
  await dialog.getByLabel('Type “ben@example.com” to confirm').fill('ben@example.com');
  await dialog.getByRole('button', { name: 'Remove person' }).click();
  await expect.poll(() => owner.page.getByRole('row', { name: /Ben/ }).count()).toBe(0);
  expect(await readsProject(key)).not.toBe(200);
  await ben.page.reload();
  await ben.page.getByRole('button', { name: 'Log in' }).waitFor();
  expect(owner.problems).toEqual([]);
  await ben.close();
  await owner.close();
});

test('settings of the project are changed at once, removed addresses are restored by undo, and a project ends by its name', async () => {
  const { page, problems, close } = await ownerAtSettings();
  await page.getByLabel('Project name').fill('Shop');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByRole('button', { name: 'Project Shop' }).waitFor();
  await choose(page, 'Weeks start on', 'Monday');
  await open(page, 'Capture');
  await page.getByText('Heat maps').waitFor();
  await page.locator('label', { has: page.getByRole('switch', { name: 'Heat maps' }) }).click();
  const project = async () => (await service.get('/api/projects/@current/')).body;
  await expect.poll(project).toMatchObject({ name: 'Shop', week_start_day: 1, heatmaps_opt_in: true });

  await open(page, 'Addresses');
  await page.getByRole('textbox', { name: 'New address' }).fill('shop.example.com/cart');
  await page.getByRole('button', { name: 'Add address' }).click();
  await page.getByRole('button', { name: 'Remove https://shop.example.com' }).click();
  await expect.poll(project).toMatchObject({ app_urls: [] });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(project).toMatchObject({ app_urls: ['https://shop.example.com'] });

  await open(page, 'Projects');
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Second');
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('button', { name: 'Project Second' }).waitFor();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await open(page, 'Projects');
  await page.getByRole('button', { name: 'Delete Second' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete “Second”?' });
  const confirm = dialog.getByRole('button', { name: 'Delete project' });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel('Type “Second” to confirm').fill('Second');
  await confirm.click();
  await page.getByRole('button', { name: 'Project Shop' }).waitFor();
  expect(problems).toEqual([]);
  await close();
});

test('axe-core finds nothing on any page of the settings in both themes, and nothing overflows at 360 px', {
  timeout: 240_000,
}, async () => {
  const { page, settings, close } = await ownerAtSettings(true);
  const found: string[] = [];
  const check = async (name: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const rules = colorScheme === 'dark' ? COLOR_RULES : undefined;
      found.push(...(await axe(page, rules)).map((violation) => `${name} ${colorScheme}: ${violation}`));
    }
    await page.setViewportSize({ width: 360, height: 760 });
    if (await isTooWide(page)) found.push(`${name}: wider than 360 px`);
    await page.setViewportSize({ width: 1280, height: 900 });
  };
  for (const [path, title] of PAGES) {
    await goTo(page, `${settings}/${path}`);
    await heading(page, title);
    await check(path);
  }
  for (const [path, title] of [
    ['keys?key=new', 'New key'],
    ['members?invite=new', 'Invite a person'],
    ['projects?panel=new', 'New project'],
    ['roles?role=new', 'New role'],
  ] as const) {
    await goTo(page, `${settings}/${path}`);
    await page.getByRole('heading', { level: 2, name: title }).waitFor();
    await check(path);
  }
  expect(found).toEqual([]);
  await close();
});

test('health says what takes space once the service has measured it', { timeout: 600_000 }, async () => {
  const { page, settings, close } = await ownerAtSettings(true);
  await page.goto(`${settings}/health`);
  await heading(page, 'Health');
  await page.getByRole('heading', { name: 'Space' }).waitFor();
  // the service measures within its first minutes, and the screen reads health every five seconds
  const disk = page.getByRole('region', { name: 'Data directory' });
  await disk.waitFor({ timeout: 300_000 });
  await disk.getByText(/^[\d.]+ [MGTP]B free\. When that is used up is known after a day\.$/).waitFor();
  for (const kind of ['Events', 'Recordings', 'Exports and files', 'Persons, flags, dashboards', 'Logs of the event store']) {
    const row = disk.getByRole('row', { name: kind });
    expect(await row.textContent()).toMatch(/[\d.]+ (bytes|[KMG]B)Known after a day$/);
  }
  expect(await axe(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await close();
});
