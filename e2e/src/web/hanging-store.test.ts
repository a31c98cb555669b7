import {
  type Browser,
  type ClickHouseServer,
  eventually,
  launchBrowser,
  type Service,
  startClickHouseServer,
  startService,
} from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closePagesAfterEach, keepAppPicture, loggedIn } from '../testing/app-pages.js';

// A ClickHouse server hangs for as long as the story wants: an embedded engine is replaced after a while, sooner or later
// than the story looks, by how fast the machine is.
let store: ClickHouseServer;
let service: Service;
let browser: Browser;
closePagesAfterEach(() => browser);
beforeAll(async () => {
  store = await startClickHouseServer();
  [service, browser] = await Promise.all([startService({ env: { CLICKHOUSE_URL: `${store.url}/hanging` } }), launchBrowser()]);
  const batch = Array.from({ length: 12 }, (_, at) => ({ event: '$pageview', distinct_id: `user-${at % 5}` }));
  const body = { api_key: service.account.projectKey, batch };
  expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
  expect((await service.post('/api/projects/1/feature_flags/', { key: 'still-here' })).status).toBe(201);
});
afterAll(async () => {
  if (store) process.kill(store.pid, 'SIGCONT');
  await browser?.close();
  await service?.close();
  await store?.close();
});

/** For a machine that is busy with other things: nothing of the story depends on it. Milliseconds. */
const PATIENCE = 280_000;

const serviceIs = (status: number) =>
  eventually(async () => expect((await fetch(`${service.url}/_ready`)).status).toBe(status), { within: PATIENCE, every: 250 });

test('while the event store hangs the question stays, the screen says what is wrong, other screens work, and the answer comes afterwards', {
  timeout: 1_500_000,
}, async () => {
  const { page, project, close } = await loggedIn(browser, service);
  page.setDefaultTimeout(PATIENCE);
  const numbers = page.getByRole('region', { name: 'Numbers' });
  const kinds = page.getByRole('radiogroup', { name: 'Kind of question' });
  const noAnswer = page.getByRole('alert').getByText('This question has no answer');
  await page.goto(`${service.url}${project}/insights/new`);
  await numbers.getByText('Page view').first().waitFor();

  process.kill(store.pid, 'SIGSTOP');
  await serviceIs(503);
  await kinds.getByText('Stickiness', { exact: true }).click();
  await noAnswer.waitFor();
  await page.getByRole('alert').getByText('The service is temporarily unavailable.').waitFor();
  await keepAppPicture(page, 'store-hangs');
  expect(page.url()).toContain('Stickiness');
  expect(await kinds.getByRole('radio', { name: 'Stickiness' }).isChecked()).toBe(true);

  // what needs only the other store
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Flags' }).click();
  await page.getByRole('link', { name: 'still-here' }).click();
  await page.getByLabel('Percentage of condition 1').waitFor();
  await page.goto(`${service.url}${project}/settings/health`);
  await page.getByText('A store does not answer.').waitFor();
  await page.getByText('Does not answer', { exact: true }).waitFor();
  await keepAppPicture(page, 'store-hangs-health');
  expect(await page.getByText('Answers', { exact: true }).count()).toBe(1);

  // the question is in the address
  await page.goBack();
  await page.goBack();
  await page.goBack();
  await noAnswer.waitFor();
  expect((await fetch(`${service.url}/_ready`)).status).toBe(503);

  process.kill(store.pid, 'SIGCONT');
  await serviceIs(200);
  await page.getByRole('button', { name: 'Try again' }).click();
  await numbers.getByText('Page view').first().waitFor();
  expect(await noAnswer.count()).toBe(0);
  await close();
});

test('while the event store is down, builder and lists say so, what is saved is saved, and all of it is there afterwards', {
  timeout: 1_500_000,
}, async () => {
  const { page, project, close } = await loggedIn(browser, service);
  page.setDefaultTimeout(PATIENCE);
  const name = `Built while it was down ${Date.now()}`;
  const numbers = page.getByRole('region', { name: 'Numbers' });
  await page.goto(`${service.url}${project}/insights/new`);
  await numbers.getByText('Page view').first().waitFor();

  await store.kill9();
  await serviceIs(503);
  await page.getByRole('radiogroup', { name: 'Kind of question' }).getByText('Retention', { exact: true }).click();
  const noAnswer = page.getByRole('alert').filter({ hasText: 'This question has no answer' });
  await noAnswer.getByText('The service is temporarily unavailable.').waitFor();
  await keepAppPicture(page, 'store-down-builder');
  // an insight is kept in the other store
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Save insight' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();

  const navigation = page.getByRole('navigation', { name: 'Main' });
  await navigation.getByRole('link', { name: 'Events', exact: true }).click();
  const fault = page.getByRole('alert').filter({ hasText: 'Events could not be loaded' });
  await fault.getByText('The service is temporarily unavailable.').waitFor();
  await keepAppPicture(page, 'store-down-events');

  await store.restart();
  await serviceIs(200);
  await fault.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('list', { name: 'Events' }).getByText('Page view').first().waitFor();
  await navigation.getByRole('link', { name: 'Insights' }).click();
  await page.getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByRole('table').first().waitFor();
  expect(await noAnswer.count()).toBe(0);
  await close();
});
