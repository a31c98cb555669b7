import { afterAll, beforeAll, expect, test } from 'vitest';
import { enforceRetention, purgeBlobs } from '../../purge/index.js';
import { startTestService, type TestService } from '../../testing/service.js';
import { sweepExports } from '../exports/index.js';

const DAY = 86_400_000;

let service: TestService;
let made = 0;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

/** A project with events of some days before today. */
async function projectWith(ages: readonly number[]) {
  const { id, api_token } = (await service.call('POST', '/api/projects/', { body: { name: `Retention ${++made}` } })).json();
  const midnight = Math.floor(service.clock.now() / DAY) * DAY;
  for (const age of ages) {
    const sent = await service.call('POST', '/capture/', {
      key: null,
      body: {
        api_key: api_token,
        event: `${age} days old`,
        distinct_id: 'ann',
        timestamp: new Date(midnight - age * DAY + 1).toISOString(),
      },
    });
    expect(sent.statusCode).toBe(200);
  }
  const path = `/api/projects/${id}`;
  const patch = (body: object) => service.call('PATCH', `${path}/`, { body });
  const query = async (query: object) => {
    const answer = await service.call('POST', `${path}/query/`, { body: { query } });
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json();
  };
  return { id: Number(id), path, patch, query, midnight };
}

/** Runs the job until nothing is left to delete. */
const enforce = (until: () => Promise<void>) =>
  expect
    .poll(
      async () => {
        await enforceRetention(service.deps);
        return until().then(
          () => 'done',
          (error: unknown) => error,
        );
      },
      { timeout: 60_000 },
    )
    .toBe('done');

test('events stay for ever by default, and for as many days as the project says; cached results follow', async () => {
  const it = await projectWith([0, 1, 5, 40, 400]);
  const shop = await projectWith([0, 400]);
  const trend = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: null }], dateRange: { date_from: '-500d' } };
  const total = async () => (await it.query(trend)).results[0].count;
  expect([await total(), await total()]).toEqual([5, 5]);
  await enforceRetention(service.deps);
  expect((await service.call('GET', `${it.path}/`)).json()).toMatchObject({ events_retention_days: null });

  const preview = async (search: string) => (await service.call('GET', `${it.path}/retention/${search}`)).json().events;
  const oldest = new Date(it.midnight - 400 * DAY + 1).toISOString().replace('Z', '000Z');
  expect(await preview('')).toEqual({ kept_from: null, total: 5, deleted: 0, oldest });
  expect(await preview('?events_retention_days=5')).toMatchObject({ total: 5, deleted: 2 });
  expect(await preview('?events_retention_days=4')).toMatchObject({ total: 5, deleted: 3 });

  expect((await it.patch({ events_retention_days: 5 })).json()).toMatchObject({ events_retention_days: 5 });
  expect(await preview('')).toMatchObject({ deleted: 2 });
  await enforce(async () => expect(await total()).toBe(3));
  await enforce(async () => expect(await preview('')).toMatchObject({ total: 3, deleted: 0 }));
  expect((await shop.query(trend)).results[0].count).toBe(2);
  const names = { kind: 'HogQLQuery', query: 'select event from events order by timestamp' };
  expect((await it.query(names)).results.flat()).toEqual(['5 days old', '1 days old', '0 days old']);

  // the next day
  service.clock.advance(DAY);
  await enforce(async () => expect((await it.query(names)).results.flat()).toEqual(['1 days old', '0 days old']));
  service.clock.advance(-DAY);
});

test('entries of the activity log and exports are deleted, too', async () => {
  const it = await projectWith([]);
  await it.patch({ name: 'Renamed long ago' });
  const body = { export_format: 'application/json', export_context: { source: { kind: 'EventsQuery', select: ['event'] } } };
  const exported = (await service.call('POST', `${it.path}/exports/`, { body })).json();
  const log = async () => (await service.call('GET', `${it.path}/activity_log/`)).json().results.length;
  const exports = async () => (await service.call('GET', `${it.path}/exports/`)).json().results;
  const before = await log();
  expect(before).toBeGreaterThanOrEqual(2);
  expect(Date.parse(exported.expires_after) - service.clock.now()).toBeGreaterThan(5 * DAY);

  await it.patch({ activity_retention_days: 3, exports_retention_days: 2 });
  await enforceRetention(service.deps);
  expect(await log()).toBe(before + 1);
  const [shortened] = await exports();
  expect(Date.parse(shortened.expires_after) - Date.parse(shortened.created_at)).toBe(2 * DAY);
  const late = await service.call('POST', `${it.path}/exports/`, { body: { ...body, expires_after: '2099-01-01T00:00:00Z' } });
  expect(Date.parse(late.json().expires_after) - Date.parse(late.json().created_at)).toBe(2 * DAY);

  service.clock.advance(4 * DAY);
  const preview = (await service.call('GET', `${it.path}/retention/`)).json();
  expect(preview).toMatchObject({ activity: { deleted: before + 1 }, exports: { total: 2, deleted: 2 } });
  await enforceRetention(service.deps);
  await sweepExports(service.deps);
  await purgeBlobs(service.deps);
  expect([await log(), await exports()]).toEqual([0, []]);
  service.clock.advance(-4 * DAY);
});

test('values that mean nothing are refused', async () => {
  const it = await projectWith([]);
  for (const value of [0, -1, 36_501, 1.5, 'long']) {
    expect((await it.patch({ events_retention_days: value })).json()).toMatchObject({ attr: 'events_retention_days' });
  }
  expect((await service.call('GET', `${it.path}/retention/?exports_retention_days=0`)).statusCode).toBe(400);
  expect((await it.patch({ events_retention_days: 7 })).statusCode).toBe(200);
  expect((await it.patch({ events_retention_days: null })).json()).toMatchObject({ events_retention_days: null });
});
