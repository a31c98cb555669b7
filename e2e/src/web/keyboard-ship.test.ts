import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { expectFocus } from '../testing/focus.js';
import { logInByKeyboard, press } from '../testing/keyboard-stories.js';
import { startForStories } from '../testing/start-for-stories.js';

/* Cohorts, SQL, experiments and surveys by the keyboard alone. */

const PROJECT = '/api/environments/@current';

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const batch = Array.from({ length: 40 }, (_, index) => ({
    event: index % 4 === 0 ? 'paid' : '$pageview',
    distinct_id: `user-${index}`,
    properties: { $set: { plan: index % 4 === 0 ? 'pro' : 'free' } },
  }));
  const body = { api_key: service.account.projectKey, batch };
  expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
});

test('a cohort is built of a property and an event, deleted and restored', async () => {
  const { page, keys, heading, problems, close } = await logInByKeyboard(browser, service);
  const more = page.getByRole('main').getByRole('button', { name: 'More', exact: true });
  await press(page, 'g', 'c');
  await heading('Cohorts');
  await expectFocus(page, 'the list of cohorts');
  await press(page, 'n');
  await heading('New cohort');
  await keys.type(page.getByLabel('Name', { exact: true }), 'Pros who paid');
  await keys.press(page.getByRole('button', { name: 'Property or cohort' }));
  await keys.find('plan', 'plan');
  await keys.find('pro', 'pro');
  await press(page, 'Escape', 'Escape');
  await page.getByText('of 40 people, 25%').waitFor();
  await expectFocus(page, 'the property is chosen');
  await keys.press(page.getByRole('button', { name: 'Event they did or did not do' }));
  await keys.press(page.getByRole('button', { name: 'Event: Any event' }));
  await keys.find('paid', 'paid');
  await page.getByRole('button', { name: 'Event: paid' }).waitFor();
  await page.getByText('of 40 people, 25%').waitFor();
  await keys.press(page.getByRole('button', { name: 'Create cohort' }));
  await page.waitForURL(/\/cohorts\/\d+$/);
  await expectFocus(page, 'the cohort is created');
  await keys.choose(more, 'Delete cohort');
  await heading('Cohorts');
  await page.getByText('No cohorts yet').waitFor();
  await keys.press(page.getByRole('alertdialog', { name: /deleted/ }).getByRole('button', { name: 'Undo' }));
  await page.getByRole('link', { name: 'Pros who paid' }).waitFor();
  await expectFocus(page, 'the cohort is restored');
  expect(problems).toEqual([]);
  await close();
});

test('a select is written, run and saved as an insight', async () => {
  const { page, keys, heading, type, problems, close } = await logInByKeyboard(browser, service);
  await press(page, 'Control+k');
  await type('go to sql');
  await page.getByRole('option', { name: /Go to SQL/ }).waitFor();
  await press(page, 'Enter');
  await heading('SQL');
  await keys.to(page.getByRole('textbox', { name: 'SQL' }));
  // typed over coloured text, Chromium would take its colour over, which the policy of the page refuses
  await press(page, 'Control+a', 'Backspace');
  await page.keyboard.insertText("select event, count() as events from events where event = 'paid' group by event");
  await press(page, 'Control+Enter');
  await page.getByRole('cell', { name: 'paid' }).waitFor();
  // Esc leaves the list of names, and Tab the editor
  await press(page, 'Escape');
  await keys.press(page.getByRole('button', { name: 'Save as insight' }));
  await keys.type(page.getByRole('textbox', { name: 'Name' }), 'Paid events');
  await press(page, 'Enter');
  await heading('Paid events');
  await expectFocus(page, 'the insight is saved');
  expect(problems).toEqual([]);
  await close();
});

test('an experiment is set up with a metric, and launched', async () => {
  const { page, keys, heading, problems, close } = await logInByKeyboard(browser, service);
  await press(page, 'g', 'x');
  await heading('Experiments');
  await press(page, 'n');
  await heading('New experiment');
  await keys.type(page.getByRole('textbox', { name: 'Name', exact: true }), 'One page');
  await keys.press(page.getByRole('button', { name: 'Add metric' }));
  await keys.type(page.getByRole('textbox', { name: 'Name of metric 1' }), 'Purchases');
  await keys.press(page.getByRole('button', { name: /^Step 1 of metric 1/ }));
  await keys.find('paid', /paid/);
  await page.getByText(/people of the last 7 days/).waitFor();
  await keys.press(page.getByRole('button', { name: 'Create experiment' }));
  await page.waitForURL(/\/experiments\/\d+$/);
  await expectFocus(page, 'the experiment is created');
  await keys.press(page.getByRole('button', { name: 'Launch' }));
  await page.getByText('Running, day 1').waitFor();
  await expectFocus(page, 'the experiment is launched');
  expect((await service.get(`${PROJECT}/feature_flags/one-page/`)).body).toMatchObject({ active: true });
  expect(problems).toEqual([]);
  await close();
});

test('a survey is written, aimed at a page and launched', async () => {
  const { page, keys, heading, problems, close } = await logInByKeyboard(browser, service);
  await press(page, 'g', 'v');
  await heading('Surveys');
  await press(page, 'n');
  await heading('New survey');
  await keys.type(page.getByRole('textbox', { name: 'Name', exact: true }), 'After checkout');
  await keys.select(page.getByRole('button', { name: /Kind of question 1/ }), 'Rating');
  await keys.to(page.getByRole('textbox', { name: 'Question 1', exact: true }));
  await press(page, 'Control+a');
  await page.keyboard.type('How easy was it?');
  await page.locator('[data-preview]').getByRole('heading', { name: 'How easy was it?' }).waitFor();
  // the draft survives a reload, after which the focus begins at the top
  await page.reload();
  await page.getByText('Not created yet').waitFor();
  await keys.to(page.getByRole('tab', { name: 'Questions' }));
  await press(page, 'ArrowRight');
  await keys.type(page.getByRole('textbox', { name: 'Address of the page' }), '/thanks');
  await keys.press(page.getByRole('button', { name: 'Create survey' }));
  await page.waitForURL(/\/surveys\/[0-9a-f-]{36}$/);
  await expectFocus(page, 'the survey is created');
  const id = page.url().split('/').at(-1) ?? '';
  await keys.press(page.getByRole('button', { name: 'Launch' }));
  await expect
    .poll(async () => (await service.get(`${PROJECT}/surveys/${id}/`)).body)
    .toMatchObject({ conditions: { url: '/thanks' }, start_date: expect.any(String) });
  await expectFocus(page, 'the survey is launched');
  expect(problems).toEqual([]);
  await close();
});
