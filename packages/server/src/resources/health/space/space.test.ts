import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../testing/run-command.js';
import { startTestService, type TestService } from '../../../testing/service.js';
import { sampleSpace } from '../index.js';
import { forecast, type KindOfSpace } from './forecast.js';
import { addSamples } from './store.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MB = 1024 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

const space = async () => (await service.call('GET', '/_health')).json().space;
const metrics = async () => String((await service.call('GET', '/metrics', { key: null })).body);
const metricOf = (text: string, name: string) => {
  const [, value] = new RegExp(`^${name.replaceAll(/[{}"]/g, '\\$&')} (\\S+)$`, 'm').exec(text) ?? [];
  return value === undefined ? null : Number(value);
};

const kind = (fields: Partial<KindOfSpace> = {}): KindOfSpace => ({
  place: 'data',
  kind: 'events',
  used_bytes: 10,
  free_bytes: 1_000,
  growth_bytes_per_day: 0,
  ...fields,
});

test.each<[string, KindOfSpace[], object[]]>([
  [
    'all kinds of a disk fill it together, and the fastest is named',
    [
      kind({ growth_bytes_per_day: 60 }),
      kind({ kind: 'recordings', growth_bytes_per_day: 90 }),
      kind({ kind: 'logs', growth_bytes_per_day: -50 }),
    ],
    [{ place: 'data', free_bytes: 1_000, growth_bytes_per_day: 100, days_until_full: 10, filled_by: 'recordings' }],
  ],
  [
    'a disk that gets emptier is never full',
    [kind({ growth_bytes_per_day: 10 }), kind({ kind: 'files', growth_bytes_per_day: -20 })],
    [{ place: 'data', free_bytes: 1_000, growth_bytes_per_day: -10, days_until_full: null, filled_by: 'events' }],
  ],
  [
    'no day is given before growth is known, or where the free space is not',
    [
      kind({ growth_bytes_per_day: null }),
      kind({ place: 'postgres', kind: 'postgres', free_bytes: null, growth_bytes_per_day: 5 }),
    ],
    [
      { place: 'data', free_bytes: 1_000, growth_bytes_per_day: null, days_until_full: null, filled_by: null },
      { place: 'postgres', free_bytes: null, growth_bytes_per_day: 5, days_until_full: null, filled_by: 'postgres' },
    ],
  ],
])('%s', (_, kinds, places) => expect(forecast(kinds)).toEqual(places));

test('each kind is measured once an hour, and only users see it', async () => {
  expect(await space()).toBeNull();
  await service.deps.blobs.put('recordings/1/s/a', Buffer.alloc(300_000));
  await service.deps.blobs.put('exports/1/1/content', Buffer.alloc(200_000));
  const batch = Array.from({ length: 500 }, () => ({
    event: 'e',
    distinct_id: randomUUID(),
    properties: { text: randomUUID() },
  }));
  const sent = await service.call('POST', '/batch/', { key: null, body: { api_key: service.projectKey, batch } });
  expect(sent.statusCode).toBe(200);
  // they are in the tables once a query has seen them
  await service.deps.events.query({ sql: 'select count() from events' });

  await sampleSpace(service.deps);
  const first = await space();
  expect(first.kinds.map((one: { kind: string }) => one.kind).sort()).toEqual([
    'events',
    'files',
    'logs',
    'postgres',
    'recordings',
  ]);
  const used = Object.fromEntries(first.kinds.map((one: { kind: string; used_bytes: number }) => [one.kind, one.used_bytes]));
  expect(used).toMatchObject({ recordings: 300_000, files: 200_000 });
  expect(used['events']).toBeGreaterThan(500 * 16);
  expect(used['postgres']).toBeGreaterThan(MB);
  for (const one of first.kinds) expect(one.growth_bytes_per_day).toBeNull();

  await service.deps.blobs.put('exports/1/2/content', Buffer.alloc(50_000));
  service.clock.advance(HOUR - 10 * 60_000);
  await sampleSpace(service.deps);
  expect((await space()).taken_at).toBe(first.taken_at);
  service.clock.advance(10 * 60_000);
  await sampleSpace(service.deps);
  const second = await space();
  expect(Date.parse(second.taken_at) - Date.parse(first.taken_at)).toBeGreaterThanOrEqual(HOUR);
  expect(second.kinds).toContainEqual({ kind: 'files', place: 'data', used_bytes: 250_000, growth_bytes_per_day: null });

  const stranger = await service.call('GET', '/_health', { key: null });
  expect([stranger.statusCode, 'space' in stranger.json()]).toEqual([200, false]);
  const wrong = await service.call('GET', '/_health', { key: 'tms_wrong' });
  expect([wrong.statusCode, 'space' in wrong.json()]).toEqual([200, false]);
});

test('growth is the slope of the last seven days, and says when the disk is full', async () => {
  const { db } = service.deps;
  await db.deleteFrom('space_samples').execute();
  // that of the command, which has a clock of its own
  const now = Date.now();
  const days = Array.from({ length: 11 }, (_, index) => 10 - index);
  for (const ago of days) {
    // 90 MB a day in the last week, ten times as much before
    const events = ago > 7 ? -(ago - 7) * 900 * MB : (7 - ago) * 90 * MB;
    const at = now - ago * DAY;
    await addSamples(
      db,
      [
        { place: 'data', kind: 'events', used_bytes: 10_000 * MB + events, free_bytes: 1_000 * MB },
        { place: 'data', kind: 'postgres', used_bytes: (100 + 10 * (10 - ago)) * MB, free_bytes: 1_000 * MB },
      ],
      at,
    );
  }
  const { kinds, places } = await space();
  const growth = Object.fromEntries(
    kinds.map((one: { kind: string; growth_bytes_per_day: number }) => [one.kind, one.growth_bytes_per_day]),
  );
  expect(growth['events'] / MB).toBeCloseTo(90, 3);
  expect(growth['postgres'] / MB).toBeCloseTo(10, 3);
  expect(places).toEqual([
    {
      place: 'data',
      free_bytes: 1_000 * MB,
      growth_bytes_per_day: expect.closeTo(100 * MB, -3),
      days_until_full: expect.closeTo(10, 3),
      filled_by: 'events',
    },
  ]);
  const text = await metrics();
  expect(metricOf(text, 'tidemark_space_used_bytes{place="data",kind="events"}')).toBe((10_000 + 7 * 90) * MB);
  expect(metricOf(text, 'tidemark_space_growth_bytes_per_day{place="data",kind="postgres"}')).toBeCloseTo(10 * MB, -3);
  expect(metricOf(text, 'tidemark_space_days_until_full{place="data"}')).toBeCloseTo(10, 3);

  const doctor = await runCommand(['doctor'], { DATABASE_URL: service.database.url, TIDEMARK_DATA: service.deps.config.dataDir });
  expect(doctor.output).toMatch(
    /^warning +space +data: events 11\.1 GB, postgres 210 MB; 1\.05 GB free; grows by 105 MB a day, most of it events; full in 10 days\n +Add disk space/m,
  );

  service.clock.advance(8 * DAY);
  expect(await space()).toBeNull();
  expect(metricOf(await metrics(), 'tidemark_space_days_until_full{place="data"}')).toBeNull();
  await sampleSpace(service.deps);
  service.clock.advance(31 * DAY);
  await sampleSpace(service.deps);
  const { count } = await db
    .selectFrom('space_samples')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(5);
});
