import { type Browser, eventually, type Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { type AppPage, expectAccessible, joined, loggedIn } from '../testing/app-pages.js';
import { startForStories } from '../testing/start-for-stories.js';

/*
 * The screens of people and data: cohorts, definitions, the log of activity, persons, groups, annotations.
 */

const PROJECT = '/api/environments/@current';
/** Colours change at once, so that axe sees those of the theme. */
const AT_ONCE = { bypassCSP: true, hasReducedMotion: true };

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const views = Array.from({ length: 40 }, (_, index) => ({
    event: '$pageview',
    distinct_id: `user-${index}`,
    properties: { $set: { plan: index % 4 === 0 ? 'pro' : 'free', email: `user-${index}@example.com` } },
  }));
  // every second person who pays bought something
  const purchases = Array.from({ length: 5 }, (_, index) => ({
    event: 'purchase',
    distinct_id: `user-${index * 8}`,
    properties: { product: 'anvil', $groups: { company: 'acme' } },
  }));
  const group = {
    event: '$groupidentify',
    distinct_id: 'user-0',
    properties: { $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Acme', industry: 'anvils' } },
  };
  const batch = [group, ...views, ...purchases];
  await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } });
  // names of events are written in the background
  await eventually(async () => {
    const { body } = await service.get(`${PROJECT}/event_definitions/?search=purchase`);
    if ((body as { count: number }).count === 0) throw new Error('The event has no name yet.');
  });
});

/** Adds the filter "plan is pro" by the button with this name. */
async function filterByPlan(page: AppPage, button: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('searchbox', { name: 'Search properties' }).fill('plan');
  await page.getByRole('option', { name: 'plan' }).click();
  await page.getByRole('searchbox', { name: 'Search or type a value' }).fill('pro');
  await page.getByRole('option', { name: 'pro' }).first().click();
  // the first Esc empties the search, the second closes the list
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
}

test('a cohort is built, counted while it is edited, used in a question, deleted and restored', async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/cohorts`);
  await page.getByText('No cohorts yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'New cohort' }).first().click();
  await page.getByText('Give it a name.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Pros who bought');
  await filterByPlan(page, 'Property or cohort');
  await page.getByText('of 40 people, 25%').waitFor();

  // what they did narrows it
  await page.getByRole('button', { name: 'Event they did or did not do' }).click();
  await page.getByRole('button', { name: 'Event: Any event' }).click();
  await page.getByRole('searchbox', { name: 'Search events' }).fill('purchase');
  await page.getByRole('option', { name: 'purchase' }).click();
  await page.getByText('of 40 people, 12.5%').waitFor();
  await page.getByRole('button', { name: 'How' }).click();
  await page.getByRole('option', { name: 'several times' }).click();
  await page.getByText('of 40 people, 0%').waitFor();
  await page.getByLabel('Times', { exact: true }).fill('1');
  await page.getByText('of 40 people, 12.5%').waitFor();
  await expectAccessible(page);

  // what was typed survives a reload
  await page.reload();
  await page.getByText('Not created yet').waitFor();
  await page.getByRole('button', { name: 'Create cohort' }).click();
  await page.waitForURL(/\/cohorts\/\d+$/);
  await page.getByText('No flag and no other cohort').waitFor();
  await page.getByRole('radio', { name: 'People (5)' }).click({ force: true });
  await page.getByRole('link', { name: 'user-8@example.com' }).waitFor();
  expect(await page.getByRole('list', { name: 'People in the cohort' }).getByRole('listitem').count()).toBe(5);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Make an insight of it' }).click();
  await page.getByRole('group', { name: /In cohort Pros who bought/ }).waitFor();
  await page.goBack();

  // a copy begins with the same conditions; deleted, it comes back
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByText('of 40 people, 12.5%').waitFor();
  await page.getByRole('button', { name: 'Create cohort' }).click();
  await page.getByRole('heading', { name: 'Pros who bought (copy)' }).waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete cohort' }).click();
  const copy = page.getByRole('link', { name: 'Pros who bought (copy)' });
  await page.getByRole('link', { name: 'Pros who bought', exact: true }).waitFor();
  expect(await copy.count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await copy.waitFor();

  await page.getByRole('searchbox', { name: 'Search cohorts' }).fill('nothing like it');
  await page.getByText('No cohort matches').waitFor();
  await page.getByRole('button', { name: 'Show all cohorts' }).click();
  await copy.waitFor();
  await expectAccessible(page);
  expect(problems).toEqual([]);
  await close();
});

test('a cohort is a list of people from a CSV file', async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/cohorts/new`);
  await page.getByRole('radio', { name: 'A list of people' }).click({ force: true });
  await page.getByLabel('Name', { exact: true }).fill('Invited');
  const csv = 'email,note\nuser-1@example.com,a\nuser-2@example.com,b\nnobody@example.com,c\n';
  await page.locator('input[type=file]').setInputFiles({ name: 'guests.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByText('guests.csv, 4 lines').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create cohort' }).click();
  const people = page.getByRole('list', { name: 'People in the cohort' });
  await people.getByRole('link', { name: 'user-1@example.com' }).waitFor();
  expect(await people.getByRole('listitem').count()).toBe(2);

  await page.getByRole('button', { name: 'Take user-1@example.com out' }).click();
  await expect.poll(() => people.getByRole('listitem').count()).toBe(1);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(() => people.getByRole('listitem').count()).toBe(2);

  await page.getByRole('radio', { name: 'List', exact: true }).click({ force: true });
  await page.getByLabel('Add people by their ids').fill('user-3, nobody-at-all');
  await page.getByRole('button', { name: 'Add people' }).click();
  await page.getByText('1 person is added.').waitFor();
  await expectAccessible(page);

  // a copy has the same people, and then people of its own
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { name: 'Invited (Copy)' }).waitFor();
  await people.getByRole('link', { name: 'user-1@example.com' }).waitFor();
  await expect.poll(() => people.getByRole('listitem').count()).toBe(3);
  await page.getByRole('button', { name: 'Take user-1@example.com out' }).click();
  await expect.poll(() => people.getByRole('listitem').count()).toBe(2);
  await page.getByRole('link', { name: 'Cohorts' }).first().click();
  await page.getByRole('link', { name: 'Invited', exact: true }).click();
  await page.getByRole('radio', { name: 'People (3)' }).waitFor();
  expect(problems).toEqual([]);
  await close();
});

test('an event is described and hidden, vanishes from the picker, and the log shows who did it', async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/definitions`);
  await page.getByRole('button', { name: 'purchase', exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole('searchbox', { name: 'Search events' }).fill('purch');
  await page.getByRole('button', { name: 'purchase', exact: true }).click();
  await page.getByRole('link', { name: 'product' }).waitFor();
  await page.getByLabel('Description').fill('Somebody paid.');
  await page.getByLabel('Tags').fill('money, shop');
  await page.getByRole('button', { name: 'Save description' }).click();
  await page.getByRole('button', { name: 'Show events with the tag money' }).waitFor();
  await page.getByRole('switch', { name: 'Hidden: pickers leave it out' }).click({ force: true });
  const shown = async () =>
    ((await service.get(`${PROJECT}/event_definitions/?search=purchase`)).body as { count: number }).count;
  await expect.poll(shown).toBe(0);
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await page.goto(`${service.url}/p/1/cohorts/new`);
  await page.getByRole('button', { name: 'Event they did or did not do' }).click();
  await page.getByRole('button', { name: 'Event: Any event' }).click();
  await page.getByRole('searchbox', { name: 'Search events' }).fill('purchase');
  await page.getByText('No event is called "purchase".').waitFor();

  // a property has its values and the events that have it
  await page.goto(`${service.url}/p/1/definitions?of=event&search=product`);
  await page.getByRole('button', { name: 'product', exact: true }).click();
  await page.getByText('anvil', { exact: true }).waitFor();
  await page.getByText('Text', { exact: true }).first().waitFor();
  await expectAccessible(page);

  await page.goto(`${service.url}/p/1/activity?scope=EventDefinition`);
  await page.getByRole('button', { name: 'Show what changed: changed the event purchase' }).first().click();
  await page.getByRole('row', { name: 'hidden false true' }).waitFor();
  await page.getByRole('link', { name: 'purchase' }).first().waitFor();
  await expectAccessible(page);
  await page.goto(`${service.url}/p/1/activity?from=2020-01-01&to=2020-01-02`);
  await page.getByText('Nothing matches').waitFor();
  await page.getByRole('button', { name: 'Show everything' }).click();
  await page.getByRole('list', { name: 'Changes' }).waitFor();

  // shown again, for the tests that follow
  await page.goto(`${service.url}/p/1/definitions?is=hidden`);
  await page.getByRole('button', { name: 'purchase', exact: true }).click();
  await page.getByRole('switch', { name: 'Hidden: pickers leave it out' }).click({ force: true });
  await page.getByText('No events match').waitFor();
  expect(problems).toEqual([]);
  await close();
});

test('people are filtered and become a cohort; a person has flags with reasons, groups, a timeline, and can be deleted', async () => {
  const filters = { groups: [{ properties: [{ type: 'person', key: 'plan', value: ['pro'] }], rollout_percentage: 100 }] };
  await service.post(`${PROJECT}/feature_flags/`, { key: 'for-pros', filters });
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/persons`);
  await page.getByText('40', { exact: true }).waitFor();
  await expectAccessible(page);
  await filterByPlan(page, 'Filter');
  await page.getByText('10', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('list', { name: 'Persons' }).getByRole('listitem').count()).toBe(10);
  await page.getByRole('link', { name: 'Save as cohort' }).click();
  await page.getByText('of 40 people, 25%').waitFor();
  await page.goBack();

  await page.getByRole('link', { name: 'user-8@example.com' }).click();
  const timeline = page.getByRole('list', { name: 'What they did' });
  await timeline.getByRole('button', { name: /purchase/ }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Event: Any event' }).click();
  await page.getByRole('searchbox', { name: 'Search events' }).fill('purchase');
  await page.getByRole('option', { name: 'purchase' }).click();
  await expect.poll(() => timeline.getByRole('listitem').count()).toBe(1);
  await timeline.getByRole('button', { name: /purchase/ }).click();
  await page.getByText('anvil').first().waitFor();

  await page.getByRole('radio', { name: 'Flags' }).click({ force: true });
  await page.getByRole('button', { name: /for-pros.*true.*because of condition 1/ }).click();
  await page.getByText('1 Condition').waitFor();
  await expectAccessible(page);

  await page.getByRole('radio', { name: 'Groups' }).click({ force: true });
  await page.getByRole('link', { name: 'Acme' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'Recordings' }).click({ force: true });
  await page.getByText('No session was recorded').waitFor();

  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete person' }).click();
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete person' });
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel('Type “user-8@example.com” to confirm').fill('user-8@example.com');
  await expectAccessible(page);
  await confirm.click();
  await page.waitForURL(/\/persons$/);
  await page.getByText('39', { exact: true }).waitFor();
  expect(problems).toEqual([]);
  await close();
});

test('groups have names and properties that can be changed, and annotations say what happened', async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/groups`);
  await page.getByRole('link', { name: 'Acme' }).waitFor();
  await page.getByRole('button', { name: 'Change names' }).click();
  await page.getByLabel('One of them').fill('Company');
  await page.getByLabel('Several').fill('Companies');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save names' }).click();
  await page.getByRole('searchbox', { name: 'Search Companies' }).fill('acm');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Acme' }).click();
  await page.getByRole('list', { name: 'Its people' }).getByRole('link').first().waitFor();
  await page.getByRole('button', { name: 'Change industry' }).click();
  await page.getByLabel('Value of industry').fill('rockets');
  await page.getByRole('button', { name: 'Save property' }).click();
  await page.getByText('rockets', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Take industry away' }).click();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText('rockets', { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'Events' }).click({ force: true });
  await page.getByText('purchase', { exact: true }).first().waitFor();

  await page.goto(`${service.url}/p/1/annotations`);
  await page.getByText('No annotations yet').waitFor();
  await page.getByRole('button', { name: 'New annotation' }).first().click();
  await page.getByLabel('What happened').fill('Version 2');
  await page.getByLabel('When').fill('2026-03-01T09:30');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create annotation' }).click();
  await page.getByRole('button', { name: 'Version 2' }).click();
  await page.getByLabel('What happened').fill('Version 2.0');
  await page.getByRole('button', { name: 'Save annotation' }).click();
  await page.getByRole('button', { name: 'Version 2.0' }).click();
  await page.getByRole('button', { name: 'Delete annotation' }).click();
  await page.getByText('No annotations yet').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByRole('button', { name: 'Version 2.0' }).waitFor();
  await expectAccessible(page);
  const { body } = await service.get(`${PROJECT}/annotations/`);
  expect(body).toMatchObject({ results: [{ content: 'Version 2.0', date_marker: '2026-03-01T09:30:00Z' }] });
  expect(problems).toEqual([]);
  await close();
});

test('a viewer reads all of it, and sees no button that would fail', async () => {
  const filters = { properties: { type: 'AND', values: [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }] } };
  const made = await service.post(`${PROJECT}/cohorts/`, { name: 'All who pay', filters });
  const { id } = made.body as { id: number };
  const viewer = await joined(service, 'viewer@example.com');
  for (const resource of ['cohort', 'person', 'group', 'event_definition', 'property_definition', 'annotation', 'insight']) {
    const ruled = await service.call('PUT', `${PROJECT}/resource_access_controls/`, {
      body: { resource, access_level: 'viewer' },
    });
    expect(ruled.status, resource).toBeLessThan(300);
  }

  const { page, problems, close } = await loggedIn(browser, service, { ...viewer, ...AT_ONCE });
  const noButton = async (...names: string[]) => {
    for (const name of names) {
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
      expect(await page.getByRole('link', { name }).count(), name).toBe(0);
    }
  };
  await page.goto(`${service.url}/p/1/cohorts`);
  await page.getByRole('link', { name: 'All who pay' }).waitFor();
  await noButton('New cohort');
  await page.goto(`${service.url}/p/1/cohorts/${id}`);
  await page.getByText('plan is pro').waitFor();
  await page.getByText('You can view it, and not change it').waitFor();
  await noButton('Save changes', 'Saved', 'More', 'Property or cohort', 'Add group of conditions');
  await expectAccessible(page);
  await page.goto(`${service.url}/p/1/cohorts/new`);
  await page.getByText('You cannot create cohorts').waitFor();
  await page.goto(`${service.url}/p/1/definitions`);
  await page.getByRole('button', { name: 'purchase', exact: true }).click();
  await page.getByText('Its properties').waitFor();
  await noButton('Save description', 'Saved');
  expect(await page.getByRole('switch').count()).toBe(0);
  await page.goto(`${service.url}/p/1/persons`);
  await page.getByRole('link', { name: 'user-1@example.com' }).click();
  await page.getByRole('list', { name: 'What they did' }).waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Export everything about them' }).waitFor();
  expect(await page.getByRole('menuitem').count()).toBe(1);
  await page.goto(`${service.url}/p/1/groups/0/acme`);
  await page.getByText('What is known').waitFor();
  await noButton('Add property', 'Change industry');
  await page.goto(`${service.url}/p/1/annotations`);
  await page.getByRole('heading', { name: 'Annotations' }).waitFor();
  await noButton('New annotation');
  await page.goto(`${service.url}/p/1/insights`);
  await page.getByText('No insights yet').waitFor();
  await noButton('New insight');
  // a link may bring a question: it is answered, and cannot be saved
  await page.goto(`${service.url}/p/1/insights/new`);
  await page.getByRole('button', { name: 'As API call' }).waitFor();
  await noButton('Save');
  expect(problems).toEqual([]);
  await close();
});
