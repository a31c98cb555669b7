import { type Browser, eventually, launchBrowser, listProcesses, type Service, startService } from '@tidemark/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgresServer } from '../../../packages/server/src/testing/postgres-server.js';
import { type AppPage, closePagesAfterEach, keepAppPicture, loggedIn } from '../testing/app-pages.js';

/* What people save while PostgreSQL is away: they hear of it, nothing is lost, and it is saved once. */

// A server of its own stays away for as long as the story wants: the embedded one is replaced after a while.
let store: PostgresServer;
let service: Service;
let browser: Browser;
let stopped: number[] = [];
closePagesAfterEach(() => browser);
beforeAll(async () => {
  store = await startPostgresServer();
  [service, browser] = await Promise.all([startService({ env: { DATABASE_URL: store.url() } }), launchBrowser()]);
  const batch = Array.from({ length: 12 }, (_, at) => ({ event: '$pageview', distinct_id: `user-${at % 5}` }));
  const body = { api_key: service.account.projectKey, batch };
  expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
});
afterEach(() => comeBack());
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await store?.close();
});

/** For a machine that is busy with other things: nothing of the stories depends on it. Milliseconds. */
const PATIENCE = 280_000;
/** Of the app, before it says that a request failed. */
const ATTEMPTS = 4;
const API = '/api/projects/@current';

const WAYS = ['has died', 'hangs'] as const;
type Way = (typeof WAYS)[number];
let isDead = false;

/** Takes PostgreSQL away, until `comeBack`. */
async function goAway(how: Way): Promise<void> {
  if (how === 'has died') {
    isDead = true;
    await store.kill9();
  } else {
    // the first process starts the others: once it has stopped, there are no new ones
    process.kill(store.pid, 'SIGSTOP');
    const sessions = (await listProcesses()).filter(({ parent }) => parent === store.pid).map(({ pid }) => pid);
    for (const pid of sessions) process.kill(pid, 'SIGSTOP');
    stopped = [...sessions, store.pid];
  }
  await serviceIs(503);
}

async function comeBack(): Promise<void> {
  if (isDead) await store.restart();
  for (const pid of stopped) process.kill(pid, 'SIGCONT');
  [isDead, stopped] = [false, []];
  await serviceIs(200);
}

const serviceIs = (status: number) =>
  eventually(async () => expect((await fetch(`${service.url}/_ready`)).status).toBe(status), { within: PATIENCE, every: 250 });

async function created<Made>(path: string, body: object): Promise<Made> {
  const answer = await service.post(path, body);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body as Made;
}

const read = async <Found>(path: string): Promise<Found> => (await service.get(path)).body as Found;

/** How often the log of the project says that somebody did something to an object. */
async function timesIn(scope: string, id: number, activity: string): Promise<number> {
  const { results } = await read<{ results: { activity: string }[] }>(`${API}/activity_log/?scope=${scope}&item_id=${id}`);
  return results.filter((one) => one.activity === activity).length;
}

async function atWork() {
  const visit = await loggedIn(browser, service);
  visit.page.setDefaultTimeout(PATIENCE);
  return visit;
}

const AWAY = /The service is temporarily unavailable/;
const showsFailure = (page: AppPage, word: string) => page.getByText(new RegExp(`${word}.*temporarily unavailable`)).waitFor();
const dialogOf = (page: AppPage, title: string) => page.getByRole('dialog', { name: title });

/** What somebody does before PostgreSQL goes away, then while it is away, and then when it is back. */
type Story = (way: Way) => Promise<{ away(): Promise<void>; back(): Promise<void> }>;

/** Lets the people of some stories work beside each other through one absence of PostgreSQL. */
async function goThrough(way: Way, stories: readonly Story[]): Promise<void> {
  const begun: Awaited<ReturnType<Story>>[] = [];
  for (const story of stories) begun.push(await story(way));
  await goAway(way);
  await Promise.all(begun.map((one) => one.away()));
  await comeBack();
  for (const one of begun) await one.back();
}

const newInsight: Story = async (way) => {
  const { page, project, close } = await atWork();
  const name = `Kept ${way} ${Date.now()}`;
  await page.goto(`${service.url}${project}/insights/new`);
  await page.getByRole('radiogroup', { name: 'Kind of question' }).getByText('Stickiness', { exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByLabel('Name').fill(name);
  return {
    away: async () => {
      await page.getByRole('button', { name: 'Save insight' }).click();
      await dialogOf(page, 'Save insight').getByRole('alert').getByText(AWAY).waitFor();
      await keepAppPicture(page, `save-insight-${way.replaceAll(' ', '-')}`);
      expect(await page.getByLabel('Name').inputValue()).toBe(name);
      expect(page.url()).toContain('Stickiness');
    },
    back: async () => {
      await page.getByRole('button', { name: 'Save insight' }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      const { results } = await read<{ results: { query: { source: { kind: string } } }[] }>(
        `${API}/insights/?search=${encodeURIComponent(name)}`,
      );
      expect(results.map(({ query }) => query.source.kind)).toEqual(['StickinessQuery']);
      await close();
    },
  };
};

const changedFlag: Story = async (way) => {
  const groups = [{ properties: [], rollout_percentage: 10 }];
  const key = `kept-${Date.now()}`;
  const { id, version } = await created<{ id: number; version: number }>(`${API}/feature_flags/`, { key, filters: { groups } });
  const { page, project, close } = await atWork();
  await page.goto(`${service.url}${project}/flags/${id}`);
  const percentage = page.getByLabel('Percentage of condition 1');
  await percentage.fill('35');
  await percentage.blur();
  const refusal = page.getByRole('alert').filter({ hasText: 'Not saved' });
  return {
    away: async () => {
      await page.getByRole('button', { name: 'Save changes' }).click();
      await refusal.getByText(AWAY).waitFor();
      await keepAppPicture(page, `save-flag-${way.replaceAll(' ', '-')}`);
      expect(await percentage.inputValue()).toBe('35');
    },
    back: async () => {
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByRole('main').getByText('Saved', { exact: true }).waitFor();
      expect(await refusal.count()).toBe(0);
      expect(await read(`${API}/feature_flags/${id}/`)).toMatchObject({
        version: version + 1,
        filters: { groups: [{ rollout_percentage: 35 }] },
      });
      await close();
    },
  };
};

const changedInsight: Story = async () => {
  const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] };
  const query = { kind: 'InsightVizNode', source };
  const { id, short_id } = await created<{ id: number; short_id: string }>(`${API}/insights/`, { name: 'Changed', query });
  const { page, project, close } = await atWork();
  await page.goto(`${service.url}${project}/insights/${short_id}`);
  await page.getByRole('radiogroup', { name: 'Kind of question' }).getByText('Lifecycle', { exact: true }).click();
  await page.getByText('Changed, not saved').waitFor();
  return {
    away: async () => {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Saving…' }).waitFor();
      await showsFailure(page, 'Not saved');
      expect(await page.getByText('Changed, not saved').count()).toBe(1);
      expect(page.url()).toContain('Lifecycle');
    },
    back: async () => {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Saved', exact: true }).waitFor();
      expect(await read(`${API}/insights/${id}/`)).toMatchObject({ query: { source: { kind: 'LifecycleQuery' } } });
      expect(await timesIn('Insight', id, 'updated')).toBe(1);
      await close();
    },
  };
};

const textForDashboard: Story = async () => {
  const { id } = await created<{ id: number }>(`${API}/dashboards/`, { name: 'Notes' });
  const text = `Kept ${Date.now()}`;
  const { page, project, close } = await atWork();
  await page.goto(`${service.url}${project}/dashboards/${id}`);
  await page.getByRole('main').getByRole('button', { name: 'Add', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'Text' }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill(text);
  return {
    away: async () => {
      await dialogOf(page, 'Add text').getByRole('button', { name: 'Add text' }).click();
      await dialogOf(page, 'Add text').getByRole('alert').getByText(AWAY).waitFor();
      // coming back to the tab loads the dashboard anew, which fails as well
      let refusals = 0;
      page.on('response', (response) => {
        if (response.status() === 503 && response.url().includes(`/dashboards/${id}/?`)) refusals++;
      });
      await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
      await expect.poll(() => refusals).toBe(ATTEMPTS);
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))');
      expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe(text);
    },
    back: async () => {
      await dialogOf(page, 'Add text').getByRole('button', { name: 'Add text' }).click();
      await page.getByRole('main').getByText(text).waitFor();
      const { tiles } = await read<{ tiles: { text: { body: string } }[] }>(`${API}/dashboards/${id}/`);
      expect(tiles.map((tile) => tile.text.body)).toEqual([text]);
      await close();
    },
  };
};

const removedTile: Story = async () => {
  const { id } = await created<{ id: number }>(`${API}/dashboards/`, { name: 'Remains' });
  const tiles = [{ text: { body: 'It remains' }, layouts: {} }];
  expect((await service.call('PATCH', `${API}/dashboards/${id}/`, { body: { tiles } })).status).toBe(200);
  const { page, project, close } = await atWork();
  await page.goto(`${service.url}${project}/dashboards/${id}`);
  await page.getByRole('button', { name: 'More about this text' }).click();
  await page.getByRole('menuitem', { name: 'Remove from dashboard' }).waitFor();
  return {
    away: async () => {
      await page.getByRole('menuitem', { name: 'Remove from dashboard' }).click();
      await showsFailure(page, 'Not done');
      expect(await page.getByRole('main').getByText('It remains').count()).toBe(1);
    },
    back: async () => {
      const after = await read<{ tiles: unknown[] }>(`${API}/dashboards/${id}/`);
      expect(after.tiles).toHaveLength(1);
      await close();
    },
  };
};

const PATIENT = { timeout: 1_500_000 };

test(
  'while PostgreSQL has died forms and changes stay, what is not done is shown, and all is saved once afterwards',
  PATIENT,
  async () => {
    await goThrough('has died', [newInsight, changedFlag, changedInsight, textForDashboard, removedTile]);
  },
);

test('while PostgreSQL hangs forms and changes stay, and are saved once afterwards', PATIENT, async () => {
  await goThrough('hangs', [newInsight, changedFlag]);
});

test.each(WAYS)('what is pressed shortly before PostgreSQL is back, which %s, is saved by itself, once', PATIENT, async (way) => {
  const key = `by-itself-${Date.now()}`;
  const { page, project, close } = await atWork();
  await page.goto(`${service.url}${project}/flags/new`);
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill(key);
  await goAway(way);
  await page.getByRole('button', { name: 'Create flag' }).click();
  await page.getByRole('button', { name: 'Creating…' }).waitFor();
  await comeBack();
  await page.waitForURL(/\/flags\/\d+$/);
  const { results } = await read<{ results: unknown[] }>(`${API}/feature_flags/?search=${key}`);
  expect(results).toHaveLength(1);
  await close();
});
