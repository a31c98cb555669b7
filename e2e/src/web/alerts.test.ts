import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, eventually, type Service } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, joined, keyboardOf, loggedIn } from '../testing/app-pages.js';
import { startForStories, storeEvents } from '../testing/start-for-stories.js';

/*
 * Alerts on insights: made, seen firing, snoozed, failed, deleted and restored, with a webhook that gets the news.
 */

const PROJECT = '/api/environments/@current';

let service: Service;
let browser: Browser;
let hooks: Server;
/** Texts that the webhook got. */
const news: string[] = [];
let short: string;
let insight: number;

beforeAll(async () => {
  hooks = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      news.push(JSON.parse(body).text);
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  hooks?.closeAllConnections();
  await new Promise((resolve) => hooks?.close(resolve));
});
startForStories(
  async (started) => {
    ({ service, browser } = started);
    const day = 86_400_000;
    const batch = Array.from({ length: 70 }, (_, i) => ({
      event: 'signed up',
      distinct_id: `user-${i}`,
      timestamp: new Date(Date.now() - (i % 10) * day).toISOString(),
      properties: {},
    }));
    await storeEvents(service, batch);
  },
  { TIDEMARK_PRIVATE_WEBHOOKS: 'on' },
);

/** A new insight for a try of a test. */
async function newInsight(): Promise<void> {
  const query = {
    kind: 'InsightVizNode',
    source: {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'signed up', name: 'signed up', math: 'total' }],
      dateRange: { date_from: '-7d' },
      interval: 'day',
    },
  };
  const { body } = await service.post(`${PROJECT}/insights/`, { name: 'Sign-ups', query, saved: true });
  ({ id: insight, short_id: short } = body as { id: number; short_id: string });
}

test('an alert is made beside its chart, fires, tells a webhook, is snoozed, deleted and restored', async () => {
  await newInsight();
  // a second try finds the alert of the first one
  const name = `Too few sign-ups of ${short}`;
  const { page, project, problems, close } = await loggedIn(browser, service, { bypassCSP: true, hasReducedMotion: true });
  await page.goto(`${service.url}${project}/insights/${short}`);
  await page.getByRole('button', { name: 'Alerts', exact: true }).click();
  const panel = page.getByRole('complementary');
  await panel.getByText('No alerts').waitFor();
  await panel.getByRole('button', { name: 'New alert' }).click();
  await panel.getByLabel('Name', { exact: true }).fill(name);
  await panel.getByRole('button', { name: 'Create alert' }).click();
  await panel.getByText('Give a lower or an upper bound.').waitFor();
  // the browser reports the 400 of the refusal
  problems.length = 0;
  // the refusal goes when the field is left
  await panel.getByLabel('Below').fill('ten');
  await panel.getByLabel('Below').press('Tab');
  await panel.getByText('Give a lower or an upper bound.').waitFor({ state: 'hidden' });
  await panel.getByRole('button', { name: 'Create alert' }).click();
  await panel.getByText('Write a number such as 100 or 2.5.').waitFor();
  await panel.getByLabel('Below').fill('10');
  await panel.getByLabel('Above').fill('5');
  await panel.getByLabel('Above').press('Enter');
  await panel.getByText('The lower bound is above the upper one.').waitFor();
  problems.length = 0;
  const { port } = hooks.address() as AddressInfo;
  await panel.getByLabel('Webhook').fill(`http://127.0.0.1:${port}/hook`);
  await expectAccessible(page, 'alert-form');
  // the refusal stands at one bound, and the other is changed: Enter sends the form all the same
  await panel.getByLabel('Above').fill('');
  await panel.getByLabel('Above').press('Enter');

  // the first check runs at once; the address of the panel is a link to the alert
  const checks = panel.getByRole('list', { name: 'Checks' });
  await checks.getByText(/"signed up" was 7 on .*, below the lower bound of 10\./).waitFor();
  await checks.getByText('The webhook got the news.').waitFor();
  expect(news.at(-1)).toContain(`*${name}* fires: "signed up" was 7`);
  expect(news.at(-1)).toContain(`${service.url}${project}/insights/${short}?alert=`);
  await panel.getByRole('button', { name: 'Send a test' }).click();
  await panel.getByText('The webhook took the test.').waitFor();
  expect(news.at(-1)).toContain(`*${name}* is tested: `);
  await page.getByText('Alert fires').waitFor();
  await page.getByText(`Below: ${name}`).waitFor();
  await expectAccessible(page, 'alert-firing');
  await page.reload();
  await panel.getByRole('heading', { name }).waitFor();

  // it is at home and in the list of alerts
  await page.goto(`${service.url}${project}`);
  await page.getByRole('list', { name: 'Alerts' }).getByRole('link', { name }).waitFor();
  await expectAccessible(page, 'home-with-alert');
  await page.goto(`${service.url}${project}/insights`);
  await page.getByRole('navigation', { name: 'Insights and alerts' }).getByRole('link', { name: 'Alerts' }).click();
  await page.getByRole('link', { name }).waitFor();
  await page.getByText('Value below 10, checked daily').first().waitFor();
  await expectAccessible(page, 'alerts');
  await page.getByRole('link', { name }).click();

  await panel.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: 'For a day' }).click();
  await panel.getByText('Snoozed until').waitFor();
  await panel.getByRole('button', { name: 'Wake' }).click();
  await panel.getByText('Next check').waitFor();
  await expect.poll(() => checks.getByRole('listitem').count()).toBe(2);

  await panel.getByRole('button', { name: 'Edit alert' }).click();
  expect(await panel.getByLabel('Below').inputValue()).toBe('10');
  await panel.getByText('Increase', { exact: true }).click();
  await panel.getByText('Percent', { exact: true }).click();
  await panel.getByLabel('Below, %').fill('');
  await panel.getByLabel('Above, %').fill('20');
  await panel.getByRole('button', { name: 'Save alert' }).click();
  await panel.getByText('Increase above 20%, checked daily').waitFor();
  await checks.getByText(/"signed up" did not change/).waitFor();

  await panel.getByRole('button', { name: 'Delete alert' }).click();
  await panel.getByText('No alerts').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await panel.getByRole('button', { name }).click();
  await panel.getByText('Increase above 20%').waitFor();
  await panel.getByRole('button', { name: 'All alerts of this insight' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => panel.count()).toBe(0);
  expect(problems).toEqual([]);
  await close();
});

test('an alert whose insight is no trend any more says so, and a viewer sees it without buttons that would fail', async () => {
  await newInsight();
  const webhook_url = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/secret-part`;
  const { body: made } = await service.post(`${PROJECT}/alerts/`, {
    name: 'Sign-ups of all',
    insight,
    condition: { type: 'absolute_value' },
    threshold: { configuration: { type: 'absolute', bounds: { upper: 1_000 } } },
    webhook_url,
  });
  const alert = made as { id: string };
  const step = { kind: 'EventsNode', event: 'signed up' };
  const query = { kind: 'FunnelsQuery', series: [step, step] };
  const stateNow = async () => (await service.get(`${PROJECT}/alerts/${alert.id}/`)).body as { state: string; checks: object[] };
  await eventually(async () => {
    if ((await stateNow()).checks.length === 0) throw new Error('It is not checked yet.');
  });
  await service.call('PATCH', `${PROJECT}/insights/${insight}/`, { body: { query } });
  // what wakes is checked at once
  for (const snoozed_until of ['2090-01-01T00:00:00Z', null])
    await service.call('PATCH', `${PROJECT}/alerts/${alert.id}/`, { body: { snoozed_until } });
  await eventually(async () => {
    if ((await stateNow()).state !== 'Errored') throw new Error('It has not failed yet.');
  });
  await service.call('PUT', `${PROJECT}/insights/${insight}/access_controls/`, { body: { access_level: 'viewer' } });
  const viewer = await joined(service, `viewer-${short.toLowerCase()}@example.com`);
  const { page, project, problems, close } = await loggedIn(browser, service, {
    ...viewer,
    bypassCSP: true,
    hasReducedMotion: true,
  });
  await page.goto(`${service.url}${project}/insights/${short}?alert=${alert.id}`);
  const panel = page.getByRole('complementary');
  await panel.getByText('Only an insight that is a trend can have alerts.').waitFor();
  await page.getByText('Alert failed').waitFor();
  await panel.getByText('A webhook gets the news').waitFor();
  for (const name of ['Edit alert', 'Snooze', 'Delete alert', 'Send a test'])
    expect(await panel.getByRole('button', { name }).count()).toBe(0);
  expect(await page.content()).not.toContain('secret-part');
  await panel.getByRole('button', { name: 'All alerts of this insight' }).click();
  await panel.getByRole('button', { name: 'Sign-ups of all' }).waitFor();
  expect(await panel.getByRole('button', { name: 'New alert' }).count()).toBe(0);
  await expectAccessible(page, 'alerts-of-viewer');
  expect(problems).toEqual([]);
  await close();
});

test('an alert is made and deleted by keyboard alone', async () => {
  await newInsight();
  const { page, project, problems, close } = await loggedIn(browser, service, { hasReducedMotion: true });
  await page.goto(`${service.url}${project}/insights/${short}`);
  const keyboard = keyboardOf(page);
  await keyboard.press(page.getByRole('button', { name: 'Alerts', exact: true }));
  const panel = page.getByRole('complementary');
  await keyboard.press(panel.getByRole('button', { name: 'New alert' }));
  await panel.getByLabel('Name', { exact: true }).waitFor();
  await page.keyboard.type('By keyboard');
  await keyboard.pick(panel.getByRole('radiogroup', { name: 'Compare' }), 'Decrease');
  await keyboard.type(panel.getByLabel('Above'), '3');
  await keyboard.pick(panel.getByRole('radiogroup', { name: 'Check' }), 'Weekly');
  await keyboard.press(panel.getByRole('button', { name: 'Create alert' }));
  await panel.getByText('Decrease above 3, checked weekly').waitFor();
  await keyboard.choose(panel.getByRole('button', { name: 'Snooze' }), 'For an hour');
  await panel.getByText('Snoozed until').waitFor();
  await keyboard.press(panel.getByRole('button', { name: 'Delete alert' }));
  await panel.getByText('No alerts').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => panel.count()).toBe(0);
  expect(problems).toEqual([]);
  await close();
});
