import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { type AppPage, expectAccessible, goTo, joined, keepAppPicture, loggedIn } from '../testing/app-pages.js';
import { startForStories } from '../testing/start-for-stories.js';

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const batch = Array.from({ length: 60 }, (_, index) => [
    { event: '$pageview', distinct_id: `before-${index}` },
    ...(index % 4 === 0 ? [{ event: 'paid', distinct_id: `before-${index}`, properties: { amount: index } }] : []),
    ...(index % 10 === 0 ? [{ event: 'refunded', distinct_id: `before-${index}` }] : []),
  ]).flat();
  await capture(batch);
});

interface Sent {
  event: string;
  distinct_id: string;
  properties?: Record<string, unknown>;
}

const PROJECT = '/api/environments/@current';
/** Colours change at once, so that axe sees those of the theme. */
const AT_ONCE = { bypassCSP: true, hasReducedMotion: true };

async function capture(batch: readonly Sent[]): Promise<void> {
  const { status } = await service.call('POST', '/batch/', {
    key: null,
    body: { api_key: service.account.projectKey, batch },
  });
  expect(status).toBe(200);
}

/** Chooses an event in an open list. */
async function pickEvent(page: AppPage, picker: RegExp, event: string): Promise<void> {
  await page.getByRole('button', { name: picker }).click();
  await page.getByRole('searchbox', { name: 'Search events' }).fill(event);
  await page.getByRole('option', { name: new RegExp(event) }).click();
}

/** People who read the flag, some of whom paid, and some of those came back for a refund. */
const exposed = (variant: string, people: number, paid: number): Sent[] =>
  Array.from({ length: people }, (_, index) => {
    const distinct_id = `${variant}-${index}`;
    return [
      {
        event: '$feature_flag_called',
        distinct_id,
        properties: { $feature_flag: 'checkout-on-one-page', $feature_flag_response: variant },
      },
      ...(index < paid ? [{ event: 'paid', distinct_id, properties: { amount: 20 } }] : []),
      ...(index % 12 === 0 ? [{ event: 'refunded', distinct_id }] : []),
    ];
  }).flat();

test('an experiment is set up, launched, gets people, shows a result and is shipped', async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/experiments`);
  await page.getByText('No experiments yet').waitFor();
  await expectAccessible(page, 'experiments-empty');
  await page.getByRole('link', { name: 'New experiment' }).first().click();

  // the key of the new flag follows the name; the guide measures the metric
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Checkout on one page');
  expect(await page.getByRole('textbox', { name: 'Key of the flag' }).inputValue()).toBe('checkout-on-one-page');
  await page.getByRole('button', { name: 'Add metric' }).click();
  await page.getByRole('textbox', { name: 'Name of metric 1' }).fill('Purchases');
  await pickEvent(page, /^Step 1 of metric 1/, 'paid');
  await page.getByText('Measured: 60 people of the last 7 days').waitFor();
  await page.getByText(/people in all variants find a change/).waitFor();
  await page.getByRole('button', { name: 'Add metric' }).click();
  await page.getByRole('textbox', { name: 'Name of metric 2' }).fill('Refunds');
  await pickEvent(page, /^Step 1 of metric 2/, 'refunded');
  await page.getByRole('radiogroup', { name: 'Better for metric 2' }).getByText('Less is better').click();
  await page.getByRole('button', { name: /Role of metric 2/ }).click();
  await page.getByRole('option', { name: /Guard/ }).click();

  // variants that do not sum to 100 are not created; the draft survives a reload
  await page.getByRole('textbox', { name: 'Percentage of variant 1' }).fill('30');
  await page.getByText('Sums to 80%, and must sum to 100%').waitFor();
  expect(await page.getByRole('button', { name: 'Create experiment' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Split evenly' }).click();
  await page.reload();
  await page.getByText('Not created yet').waitFor();
  expect(await page.getByRole('textbox', { name: 'Name of metric 2' }).inputValue()).toBe('Refunds');
  await expectAccessible(page, 'experiment-new');
  await page.getByRole('button', { name: 'Create experiment' }).click();
  await page.waitForURL(/\/experiments\/\d+$/);

  // the launch turns the flag on
  await page.getByRole('button', { name: 'Launch' }).click();
  await page.getByText('Running, day 1').waitFor();
  const { body: flag } = await service.get(`${PROJECT}/feature_flags/checkout-on-one-page/`);
  expect(flag).toMatchObject({ active: true });
  await page.getByRole('tab', { name: 'Results' }).click();
  await page.getByText('Nobody was exposed yet').waitFor();
  await capture([...exposed('control', 20, 5), ...exposed('test', 20, 9)]);
  await page.reload();
  await page.getByRole('heading', { name: 'Not enough data yet' }).waitFor();
  await expectAccessible(page, 'experiment-early');
  await capture([...exposed('control', 150, 30), ...exposed('test', 150, 66)]);
  await page.reload();
  await page.getByRole('heading', { name: /“test” is very likely better: \+\d+% on Purchases/ }).waitFor();
  await page.getByText('Nothing that must not get worse did.').waitFor();
  await page.getByRole('heading', { name: 'Must not get worse' }).waitFor();
  await page.getByText('Split as planned').waitFor();
  await page.getByText('Numbers', { exact: true }).first().click();
  expect(await page.getByRole('region', { name: 'Numbers of Purchases' }).textContent()).toMatch(/test\s*150/);
  const guards = page.getByRole('region', { name: 'Numbers of Must not get worse' });
  await page.getByText('Numbers', { exact: true }).last().click();
  expect(await guards.textContent()).toMatch(/Refunds\s*test/);
  await expectAccessible(page, 'experiment-results');
  // a phone has no columns beside the variants, and how sure the result is below their names
  await page.setViewportSize({ width: 360, height: 800 });
  await page
    .locator('svg text', { hasText: /^Chance to win >?\d/ })
    .first()
    .waitFor();
  await page
    .locator('svg text', { hasText: /^Rate \d/ })
    .first()
    .waitFor();
  await goTo(page, '/p/1/experiments');
  const row = page.getByRole('listitem').filter({ hasText: 'checkout-on-one-page' });
  await row.getByText('Running', { exact: true }).waitFor();
  await row.getByText(/“test” is very likely better/).waitFor();
  await keepAppPicture(page, 'experiments-360');
  await page.goBack();
  await page.setViewportSize({ width: 1440, height: 900 });

  // the results of a metric can be shared by a link
  await page.getByRole('button', { name: 'Share Purchases' }).click();
  await page.getByRole('dialog', { name: /Purchases/ }).waitFor();
  await page.getByRole('switch', { name: /Anyone with the link/ }).click({ force: true });
  const link = (await page.getByText(/\/shared\//).textContent()) ?? '';
  const shared = await fetch(link);
  expect([shared.status, await shared.text()]).toEqual([200, expect.stringContaining('Chance to win')]);
  await page.keyboard.press('Escape');

  // paused, resumed, shipped
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused, day 1').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Running, day 1').waitFor();
  await page.getByRole('button', { name: 'Ship a variant' }).click();
  await page.getByRole('textbox', { name: 'What you learned' }).fill('More people paid.');
  await page.getByRole('button', { name: 'Ship “test”' }).click();
  await page.getByRole('heading', { name: 'Won: “test” was shipped to everybody' }).waitFor();
  const { body: shipped } = await service.get(`${PROJECT}/feature_flags/checkout-on-one-page/`);
  expect(JSON.stringify((shipped as { filters: unknown }).filters)).toMatch(/"key":"test"[^}]*"rollout_percentage":100/);
  await page.getByRole('link', { name: 'Experiments' }).first().click();
  await page.getByText('Won: “test” was shipped to everybody').waitFor();
  await page.getByRole('searchbox', { name: 'Search experiments' }).fill('nothing like it');
  await page.getByText('No experiment matches').waitFor();
  expect(page.url()).toContain('search=nothing');
  await page.getByRole('button', { name: 'Show all experiments' }).click();
  await expectAccessible(page, 'experiments');
  expect(problems).toEqual([]);
  await close();
});

test('a survey is written with its preview, launched, answered, and its answers are shown', async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/surveys`);
  await page.getByText('No surveys yet').waitFor();
  await expectAccessible(page, 'surveys-empty');
  await page.getByRole('link', { name: 'New survey' }).first().click();

  // the preview is the widget of pages: it follows what is written, and leads from question to question
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('After checkout');
  await page.getByRole('button', { name: /Kind of question 1/ }).click();
  await page.getByRole('option', { name: 'Rating' }).click();
  await page.getByRole('textbox', { name: 'Question 1', exact: true }).fill('How easy was it?');
  await page.getByRole('button', { name: 'Add question' }).click();
  await page.getByRole('textbox', { name: 'Question 2', exact: true }).fill('What was missing?');
  const preview = page.locator('[data-preview]');
  await preview.getByRole('heading', { name: 'How easy was it?' }).waitFor();
  await preview.getByRole('radio', { name: '4' }).click();
  await preview.getByRole('button', { name: 'Submit' }).click();
  await preview.getByRole('heading', { name: 'What was missing?' }).waitFor();
  // a question that ends the survey for satisfied people
  await page.getByRole('button', { name: /After question 1/ }).click();
  await page.getByRole('option', { name: 'it depends on the answer' }).click();
  await page.getByRole('button', { name: /After “Above 3” of question 1/ }).click();
  await page.getByRole('option', { name: 'the end' }).click();
  await preview.getByRole('heading', { name: 'How easy was it?' }).waitFor();
  await preview.getByRole('radio', { name: '5' }).click();
  await preview.getByRole('button', { name: 'Submit' }).click();
  await preview.getByRole('heading', { name: 'Thank you for your feedback' }).waitFor();
  await expectAccessible(page, 'survey-new');
  for (const tab of ['Targeting', 'Appearance', 'Translations']) {
    await page.getByRole('tab', { name: tab }).click();
    await expectAccessible(page, `survey-${tab.toLowerCase()}`);
  }
  await page.getByRole('tab', { name: 'Targeting' }).click();
  await page.getByRole('textbox', { name: 'Address of the page' }).fill('/thanks');
  await page.reload();
  expect(await page.getByRole('textbox', { name: 'Address of the page' }).inputValue()).toBe('/thanks');
  await page.getByRole('button', { name: 'Create survey' }).click();
  await page.waitForURL(/\/surveys\/[0-9a-f-]{36}$/);
  const id = page.url().split('/').at(-1) ?? '';
  const { body: survey } = await service.get(`${PROJECT}/surveys/${id}/`);
  const { questions } = survey as { questions: { id: string; branching?: unknown }[] };
  expect(survey).toMatchObject({ conditions: { url: '/thanks', urlMatchType: 'icontains' } });
  expect(questions[0]).toMatchObject({ branching: { type: 'response_based', responseValues: { positive: 'end' } } });

  // pages get it once it is launched
  await page.getByRole('button', { name: 'Launch' }).click();
  await page.getByText('Running', { exact: true }).waitFor();
  const listed = await service.call('GET', `/api/surveys/?token=${service.account.projectKey}`, { key: null });
  expect(listed.body).toMatchObject({ surveys: [{ id, name: 'After checkout' }] });
  await page.getByRole('tab', { name: 'Answers' }).click();
  await page.getByText('No answers yet').waitFor();

  const [ease = { id: '' }, why = { id: '' }] = questions;
  const people = ['ada', 'bob', 'cyd', 'dee'];
  await capture([
    ...people.map((distinct_id) => ({ event: 'survey shown', distinct_id, properties: { $survey_id: id } })),
    ...people.slice(0, 3).map((distinct_id, index) => ({
      event: 'survey sent',
      distinct_id,
      properties: {
        $survey_id: id,
        $survey_submission_id: `s-${index}`,
        $survey_completed: true,
        [`$survey_response_${ease.id}`]: [5, 4, 2][index],
        ...(index === 2 && { [`$survey_response_${why.id}`]: '<b>Paying</b> by invoice' }),
        $set: { email: `${distinct_id}@example.com` },
      },
    })),
  ]);
  await page.reload();
  await page.getByText('Mean 3.67').waitFor();
  await page.getByText('<b>Paying</b> by invoice').waitFor();
  await page.getByText('75%', { exact: true }).waitFor();
  await expectAccessible(page, 'survey-answers');
  await page.getByRole('link', { name: 'cyd@example.com' }).click();
  await page.waitForURL(/\/persons\/[0-9a-f-]{36}/);
  await page.goBack();

  await page.getByRole('button', { name: 'End survey' }).click();
  await page.getByText('Ended', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Surveys' }).first().click();
  await page.getByText('3 answers').waitFor();
  await page.getByText('75.0% of 4 shown').waitFor();
  await expectAccessible(page, 'surveys');
  expect(problems).toEqual([]);
  await close();
});

test('two people who edit one experiment learn of each other’s changes, and lose nothing that they do not give up', async () => {
  const { body } = await service.post(`${PROJECT}/experiments/`, { name: 'Both edit it', feature_flag_key: 'both-edit-it' });
  const { id } = body as { id: number };
  const stored = async () => (await service.get(`${PROJECT}/experiments/${id}/`)).body as Record<string, unknown>;
  const change = (fields: object) => service.call('PATCH', `${PROJECT}/experiments/${id}/`, { body: fields });
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  const hypothesis = page.getByRole('textbox', { name: 'Hypothesis' });
  const save = page.getByRole('button', { name: 'Save changes' });
  await page.goto(`${service.url}/p/1/experiments/${id}`);
  await hypothesis.fill('Mine');

  // a save that is based on an older state needs a second decision
  expect((await change({ description: 'Theirs' })).status).toBe(200);
  await save.click();
  const refused = page.getByRole('alert').filter({ hasText: 'has changed this experiment meanwhile' });
  await refused.waitFor();
  expect(await hypothesis.inputValue()).toBe('Mine');
  expect(await stored()).toMatchObject({ description: 'Theirs', version: 2 });
  // the browser reports the 409
  problems.length = 0;
  await expectAccessible(page, 'experiment-conflict');
  await page.reload();
  await page.getByText('Changed, not saved').waitFor();
  await save.click();
  await refused.waitFor();
  await page.getByRole('button', { name: 'Save mine over theirs' }).click();
  await refused.waitFor({ state: 'detached' });
  await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ description: 'Mine', version: 3 });
  problems.length = 0;

  // while somebody edits, the screen looks by itself
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('My name for it');
  expect((await change({ description: 'Theirs again' })).status).toBe(200);
  await page.getByRole('status').filter({ hasText: 'has changed this experiment meanwhile' }).waitFor();
  expect(await hypothesis.inputValue()).toBe('Mine');
  await expectAccessible(page, 'experiment-behind');
  await page.getByRole('button', { name: 'Drop my changes and show theirs' }).click();
  await expect.poll(() => hypothesis.inputValue()).toBe('Theirs again');
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Both edit it');
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('My name for it');
  await page.getByRole('button', { name: 'Drop my changes and show theirs' }).click();

  // one's own changes are no conflict: edited, archived and saved
  await hypothesis.fill('Mine after all');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await page.getByText('Archived', { exact: true }).waitFor();
  await save.click();
  await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ description: 'Mine after all', archived: true, version: 6 });
  expect(problems).toEqual([]);
  await close();
});

test('a feature goes into early access with its flag, to everybody, and away', async () => {
  const { page, problems, close } = await loggedIn(browser, service, AT_ONCE);
  await page.goto(`${service.url}/p/1/flags`);
  await page.getByRole('link', { name: 'Early access' }).click();
  await page.getByText('Nothing in early access yet').waitFor();
  await page.getByRole('button', { name: 'New feature' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('New editor');
  await expectAccessible(page, 'early-access-new');
  await page.getByRole('button', { name: 'Create feature' }).click();
  await page.getByRole('link', { name: 'new-editor' }).waitFor();
  await page.getByRole('button', { name: /Stage of New editor/ }).click();
  await page.getByRole('option', { name: 'For everybody' }).click();
  await expect
    .poll(async () => JSON.stringify((await service.get(`${PROJECT}/feature_flags/new-editor/`)).body))
    .toContain('"rollout_percentage":100');
  await expectAccessible(page, 'early-access');
  await page.getByRole('button', { name: /Delete New editor/ }).click();
  await page.getByText('Nothing in early access yet').waitFor();
  expect((await service.get(`${PROJECT}/feature_flags/new-editor/`)).status).toBe(200);
  expect(problems).toEqual([]);
  await close();
});

test('a viewer sees experiments, surveys and answers, and edits nothing; lists that fail can be asked again', async () => {
  await service.post(`${PROJECT}/experiments/`, { name: 'Of somebody else', feature_flag_key: 'of-somebody-else' });
  await service.post(`${PROJECT}/surveys/`, {
    name: 'Also of somebody else',
    questions: [{ type: 'open', question: 'Why?' }],
  });
  const viewer = await joined(service, 'viewer@example.com');
  for (const resource of ['experiment', 'survey', 'insight']) {
    const ruled = await service.call('PUT', `${PROJECT}/resource_access_controls/`, {
      body: { resource, access_level: 'viewer' },
    });
    expect(ruled.status).toBeLessThan(300);
  }
  const { page, problems, close } = await loggedIn(browser, service, { ...viewer, ...AT_ONCE });
  for (const [path, name] of [
    ['experiments', 'Of somebody else'],
    ['surveys', 'Also of somebody else'],
  ] as const) {
    await page.goto(`${service.url}/p/1/${path}/new`);
    await page.getByText(`You cannot create ${path}`).waitFor();
    await page.goto(`${service.url}/p/1/${path}`);
    await page.getByRole('link', { name }).waitFor();
    expect(await page.getByRole('link', { name: /^New/ }).count()).toBe(0);
    await page.getByRole('link', { name }).click();
    await page.getByText('You can view it, and not change it').waitFor();
    expect(
      await page.getByRole('button', { name: /^(Save|Add|Remove|Move|More|Launch|End|Ship|Pause|Discard|Delete)/ }).count(),
    ).toBe(0);
    await expectAccessible(page, `${path}-viewer`);
  }
  await page.goto(`${service.url}/p/1/sql?q=select+1`);
  await page.getByRole('cell', { name: '1' }).waitFor();
  expect(await page.getByRole('button', { name: 'Save as insight' }).count()).toBe(0);
  expect(problems).toEqual([]);

  // a list that fails
  await page.route('**/api/environments/*/experiments/**', (route) =>
    route.fulfill({ status: 500, json: { detail: 'The store is away.' } }),
  );
  await page.goto(`${service.url}/p/1/experiments`);
  await page.getByText('Experiments could not be loaded').waitFor();
  await expectAccessible(page, 'experiments-error');
  await page.unroute('**/api/environments/*/experiments/**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Of somebody else' }).waitFor();

  // no access at all
  await service.call('PUT', `${PROJECT}/resource_access_controls/`, { body: { resource: 'survey', access_level: 'none' } });
  await page.goto(`${service.url}/p/1/surveys`);
  await page.getByText('You cannot see surveys').waitFor();
  await expectAccessible(page, 'surveys-no-permission');
  await close();
});
