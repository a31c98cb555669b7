import { readFile } from 'node:fs/promises';
import { type Browser, eventually, type Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { type AppPage, expectAccessible, joined, loggedIn } from '../testing/app-pages.js';
import { recordCart } from '../testing/shared-recordings.js';
import { startForStories } from '../testing/start-for-stories.js';

/* What the app has for privacy: for how long data is kept, cookieless mode, and everything about a person as a file or gone. */

const PROJECT = '/api/environments/@current';
const DAY_MS = 86_400_000;
/** Colours change at once, so that axe sees those of the theme. */
const AT_ONCE = { bypassCSP: true, hasReducedMotion: true };

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  await service.call('PATCH', '/api/projects/@current/', { body: { name: 'Shop', session_recording_opt_in: true } });
  const at = (age: number) => new Date(Date.now() - age * DAY_MS).toISOString();
  const ada = ['signed up', 'bought'].map((event, index) => ({
    event,
    distinct_id: 'ada',
    timestamp: at(2 - index),
    properties: { $set: { email: 'ada@example.com' }, product: 'anvil' },
  }));
  const old = Array.from({ length: 3 }, () => ({ event: 'looked', distinct_id: 'ben', timestamp: at(200), properties: {} }));
  const batch = [...ada, ...old];
  await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } });
  await recordCart(service, 'session-of-ada');
  await eventually(async () => expect(await retention()).toMatchObject({ events: { total: 5 }, recordings: { total: 1 } }));
});

const project = async () => (await service.get('/api/projects/@current/')).body;
const retention = async () => (await service.get(`${PROJECT}/retention/`)).body;

/** The address of the page of the person with this id. */
async function pathOf(distinctId: string): Promise<{ uuid: string; path: string }> {
  const { results } = (await service.get(`${PROJECT}/persons/?distinct_id=${distinctId}`)).body as {
    results: { uuid: string }[];
  };
  const uuid = results[0]?.uuid ?? '';
  return { uuid, path: `/p/1/persons/${uuid}` };
}

async function keepEventsFor(page: AppPage, time: string): Promise<void> {
  await page.getByRole('button', { name: /Keep events for/ }).click();
  await page.getByRole('option', { name: time, exact: true }).click();
}

test('an administrator keeps events for some time only, and sees before what that deletes', { timeout: 600_000 }, async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/settings/project`);
  await page.getByText(/5 events, the oldest of /).waitFor();
  await page.getByText(/1 recording, the oldest of /).waitFor();
  await page.getByRole('heading', { name: 'Retention' }).scrollIntoViewIfNeeded();
  await expectAccessible(page, 'retention');

  await keepEventsFor(page, '90 days');
  const dialog = page.getByRole('dialog', { name: 'Keep events for 90 days only?' });
  await dialog.getByText(/^3 of 5 events are deleted for good, from before .* \(UTC\)\./).waitFor();
  const confirm = dialog.getByRole('button', { name: 'Delete 3 events' });
  expect(await confirm.isDisabled()).toBe(true);
  await expectAccessible(page, 'retention-question');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await project()).toMatchObject({ events_retention_days: null });

  // what deletes nothing yet needs no name
  await keepEventsFor(page, '1 year');
  const harmless = page.getByRole('dialog', { name: 'Keep events for 1 year only?' });
  await harmless.getByText(/^Nothing is deleted now: none of the 5 events is as old\./).waitFor();
  await harmless.getByRole('button', { name: 'Set the limit' }).click();
  await expect.poll(project).toMatchObject({ events_retention_days: 365 });

  await keepEventsFor(page, '90 days');
  await dialog.getByLabel('Type “Shop” to confirm').fill('Shop');
  await confirm.click();
  await expect.poll(project).toMatchObject({ events_retention_days: 90 });
  // the service deletes once a minute, and each look at the numbers is a question to the event store
  await eventually(async () => expect(await retention()).toMatchObject({ events: { total: 2, deleted: 0 } }), {
    within: 300_000,
    every: 2_000,
  });
  await page.getByText(/2 events, the oldest of /).waitFor();

  // longer needs no question
  await keepEventsFor(page, 'For ever');
  await expect.poll(project).toMatchObject({ events_retention_days: null });

  await page.goto(`${service.url}/p/1/settings/recording`);
  await page.getByRole('button', { name: /Keep recordings for/ }).click();
  await page.getByRole('option', { name: '30 days' }).click();
  const recordings = page.getByRole('dialog', { name: 'Keep recordings for 30 days only?' });
  await recordings.getByText(/^Nothing is deleted now: the only recording is not as old\./).waitFor();
  await recordings.getByRole('button', { name: 'Set the limit' }).click();
  await expect.poll(project).toMatchObject({ session_recording_retention_period: '30d' });
  expect(problems).toEqual([]);
  await close();
});

test('cookieless mode is switched on, and a member reads the limits of retention', async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/settings/capture`);
  const cookieless = page.getByRole('switch', { name: 'Count visitors without cookies' });
  await cookieless.waitFor({ state: 'attached' });
  await page.locator('label', { has: cookieless }).click();
  await expect.poll(project).toMatchObject({ cookieless_server_hash_mode: 1 });
  await cookieless.scrollIntoViewIfNeeded();
  await expectAccessible(page, 'cookieless');
  expect(problems).toEqual([]);
  await close();

  const member = await loggedIn(browser, service, await joined(service, `member-${Date.now()}@example.com`));
  await member.page.goto(`${service.url}/p/1/settings/project`);
  await member.page.getByText(/Administrators of the project can limit events, exports and the activity log\./).waitFor();
  await member.page.getByText(/events, the oldest of /).waitFor();
  expect(await member.page.getByRole('button', { name: /Keep events for/ }).count()).toBe(0);
  await member.page.getByRole('button', { name: /Keep recordings for/ }).waitFor();
  await member.close();
});

test('everything about a person is a file, and then they and their recording are gone', { timeout: 600_000 }, async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  const { uuid, path } = await pathOf('ada');
  await page.goto(service.url + path);
  await page.getByRole('button', { name: 'More' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export everything about them' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(`person-${uuid}.json`);
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({
    person: { properties: { email: 'ada@example.com' } },
    distinct_ids: ['ada'],
    recordings: [{ id: 'session-of-ada' }],
    events: [{ event: 'signed up', properties: { product: 'anvil' } }, { event: 'bought' }],
  });

  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete person' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete person' });
  await dialog.getByText('Delete their 2 events, too').click();
  await dialog.getByText('Delete their 1 recording, too').click();
  await expectAccessible(page, 'delete-person');
  await dialog.getByLabel('Type “ada@example.com” to confirm').fill('ada@example.com');
  const deletion = page.waitForRequest((request) => request.method() === 'DELETE');
  await dialog.getByRole('button', { name: 'Delete person' }).click();
  await page.waitForURL(/\/persons$/);
  // their events go two minutes later: the tests of the service move its clock for that
  expect((await deletion).url()).toContain('delete_events=true');
  expect((await service.get(`${PROJECT}/persons/${uuid}/`)).status).toBe(404);
  expect((await service.get(`${PROJECT}/session_recordings/session-of-ada/`)).status).toBe(404);
  expect(problems).toEqual([]);
  await close();
});

test('who may not see recordings gets no file that would name them', async () => {
  const body = { resource: 'session_recording', access_level: 'none' };
  expect((await service.call('PUT', `${PROJECT}/resource_access_controls/`, { body })).status).toBe(200);
  const { page, close } = await loggedIn(browser, service, await joined(service, `no-recordings-${Date.now()}@example.com`));
  await page.goto(service.url + (await pathOf('ben')).path);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete person' }).click();
  await page
    .getByRole('dialog')
    .getByText(/Delete their \d+ events?, too/)
    .waitFor();
  expect(
    await page
      .getByRole('dialog')
      .getByText(/recordings?, too/)
      .count(),
  ).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete person' }).waitFor();
  expect(await page.getByRole('menuitem').count()).toBe(1);
  await close();
});
