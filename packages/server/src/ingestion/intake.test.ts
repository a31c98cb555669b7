import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ProjectByKey } from '../auth/index.js';
import type { Deps } from '../deps.js';
import { QueueFull } from '../http/sdk/index.js';
import type { JsonObject } from '../kernel/json.js';
import { EventsFull, EventsUnavailable } from '../ports/events.js';
import { captured, type TestIngest, testIngest } from '../testing/ingest.js';
import type { CapturedEvent, Intake } from './capture.js';
import { createIntake } from './index.js';

let world: TestIngest;
let deps: Deps;
let intake: Intake;
let project: ProjectByKey;
let opened: Intake[];

/** A process that starts on the same stores. */
function start(overrides: Partial<Deps> = {}): Intake {
  deps = { ...world.deps, metrics: new Registry(), ...overrides };
  intake = createIntake(deps);
  opened.push(intake);
  return intake;
}

beforeAll(async () => {
  world = await testIngest();
});
afterAll(() => world.close());
beforeEach(async () => {
  project = await world.project();
  opened = [];
  start();
});
afterEach(async () => {
  for (const one of opened) await one.close();
});

const send = (...events: CapturedEvent[]) => intake.capture({ project, ip: '81.2.69.142', receivedAt: deps.clock.now(), events });

interface Row {
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  person_mode: string;
  elements_chain: string;
  group_0: string;
  timestamp: string;
  properties: JsonObject;
}

/** What is stored, without merging away what was stored twice. */
async function stored(): Promise<Row[]> {
  const sql = 'select * from events where project_id = {project:UInt32} order by timestamp, event';
  return (await deps.events.query<Row>({ sql, params: { project: project.id } })).rows;
}

const metric = async (name: string, labels: Record<string, string> = {}) => {
  const { values } = (await deps.metrics.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.find((v) => Object.entries(labels).every(([key, value]) => v.labels[key] === value))?.value;
};

describe('an event', () => {
  test('with the outcome ok it is stored with all its fields', async () => {
    const event = captured({
      event: '$autocapture',
      timestamp: Date.UTC(2026, 1, 3, 4, 5, 6, 789),
      properties: { plan: 'pro', nested: { a: [1, { b: null }] }, 'a.b': 1, a: { b: 2 }, $elements_chain: 'a:text="x"' },
    });
    expect(await send(event)).toEqual([{ uuid: event.uuid, result: 'ok' }]);
    const [row] = await stored();
    expect(row).toMatchObject({
      uuid: event.uuid,
      event: '$autocapture',
      distinct_id: 'ann',
      person_mode: 'full',
      timestamp: '2026-02-03T04:05:06.789Z',
      elements_chain: 'a:text="x"',
    });
    expect(row?.properties).toMatchObject({ plan: 'pro', $ip: '81.2.69.142', 'a.b': 1, a: { b: 2 } });
  });

  test('it has its person and its groups', async () => {
    await send(
      captured({ event: '$groupidentify', properties: { $group_type: 'company', $group_key: 'acme', $group_set: { size: 3 } } }),
      captured({
        event: 'bought',
        timestamp: Date.now() + 1,
        properties: { $groups: { company: 'acme' }, $set: { plan: 'pro' }, $group_0: { of: 'the client' }, $group_3: 'x' },
      }),
    );
    const bought = (await stored()).find((row) => row.event === 'bought');
    expect(bought?.group_0).toBe('acme');
    expect(bought?.properties).toMatchObject({ $group_0: 'acme', $groups: { company: 'acme' } });
    expect(bought?.properties).not.toHaveProperty('$group_3');
    const persons = await deps.events.query({
      sql: 'select person_id, properties.plan as plan from persons where project_id = {project:UInt32}',
      params: { project: project.id },
    });
    expect(persons.rows).toContainEqual({ person_id: bought?.person_id, plan: 'pro' });
    const groups = await deps.events.query({
      sql: 'select group_key, properties.size as size from groups where project_id = {project:UInt32}',
      params: { project: project.id },
    });
    expect(groups.rows).toEqual([{ group_key: 'acme', size: 3 }]);
    await intake.close();
    expect(await deps.db.selectFrom('analytics_outbox').selectAll().execute()).toEqual([]);
  });

  test.each(['$create_alias', '$identify'])('%s with an object as id merges nobody', async (event) => {
    const properties = { alias: {}, $anon_distinct_id: {} };
    await send(captured({ event, distinctId: 'ann', properties }), captured({ event, distinctId: 'bob', properties }));
    expect(new Set((await stored()).map((row) => row.person_id)).size).toBe(2);
    const { rows } = await deps.events.query({
      sql: 'select * from person_overrides where project_id = {project:UInt32}',
      params: { project: project.id },
    });
    expect(rows).toEqual([]);
  });

  test('one with heatmap data is stored as two', async () => {
    await send(captured({ event: '$pageview', properties: { $heatmap_data: { '/': [{ x: 1 }] }, $session_id: 's' } }));
    const rows = await stored();
    expect(rows.map((row) => row.event).sort()).toEqual(['$$heatmap', '$pageview']);
    expect(rows.find((row) => row.event === '$pageview')?.properties).not.toHaveProperty('$heatmap_data');
  });

  test('any content is stored or dropped, and does not affect other events', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    const wide = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, 1]));
    const odd: JsonObject[] = [
      { deep },
      wide,
      { 'nul\u0000': 'a\u0000', half: '\ud800', $set: { 'x\u0000': '\udc00' } },
      { huge: 1e308, tiny: 5e-324, big: 2 ** 63, minus: -(2 ** 63), '': 1, '.': 2, 'a.': 3, '.a': 4 },
      { mixed: [1, 'a', null, { b: [[]] }, [[1], ['x']]], __proto__: { x: 1 } },
      { $groups: { 'com\u0000pany': 'a\ud800' }, $set: { deep } },
      { $set: 'text', $set_once: [1], $unset: 5, $elements: [5, null, { tag_name: {} }], $groups: ['x'] },
      JSON.parse('{"__proto__": 1, "constructor": {"prototype": 1}, "$set": {"__proto__": {"a": 1}}}'),
    ];
    const events = odd.map((properties, i) => captured({ event: `odd ${i}`, properties }));
    const outcomes = await send(...events, captured({ event: 'plain' }));
    expect(outcomes.map(({ result }) => result)).toEqual([...odd.map(() => 'ok'), 'ok']);
    expect((await stored()).map((row) => row.event).sort()).toEqual([...odd.map((_, i) => `odd ${i}`), 'plain'].sort());
  });

  test('any time is stored', async () => {
    const times = [-62_000_000_000_000, -1, 0, Date.UTC(1999, 0, 1), Date.now() + 20 * 3_600_000];
    // more months than the engine takes in one insert by default
    const many = Array.from({ length: 120 }, (_, i) => captured({ timestamp: Date.UTC(1990, i, 1) }));
    const outcomes = await send(...times.map((timestamp) => captured({ timestamp })), ...many);
    expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['ok']));
    expect(await stored()).toHaveLength(125);
  });
});

describe('a dropped event', () => {
  test.each([
    ['performance_event', captured({ event: '$performance_event' }), 'drop'],
    ['client_ingestion_warning', captured({ event: '$$client_ingestion_warning' }), 'warning'],
    ['person_processing_required', captured({ event: '$identify', properties: { $process_person_profile: false } }), 'drop'],
    ['message_size_too_large', captured({ properties: { text: 'x'.repeat(1_100_000) } }), 'drop'],
  ])('%s is the outcome and is counted, and other events are stored', async (reason, event, result) => {
    const outcomes = await send(event, captured({ event: 'good' }));
    expect(outcomes).toMatchObject([{ uuid: event.uuid, result }, { result: 'ok' }]);
    expect((await stored()).map((row) => row.event)).toEqual(['good']);
    expect(await metric('tidemark_ingest_dropped_events_total', { reason })).toBe(1);
  });

  test('unstorable: an event that the table refuses in every form', async () => {
    const events = Array.from({ length: 9 }, (_, i) => captured({ event: `e${i}` }));
    const bad = events[5]?.uuid ?? '';
    start({
      events: {
        ...world.deps.events,
        insert: async (table, rows, options) => {
          const refused = rows.filter((row) => 'uuid' in row && row.uuid === bad);
          const others = rows.filter((row) => !refused.includes(row));
          return [...refused, ...(await world.deps.events.insert(table, others, options))];
        },
      },
    });
    const outcomes = await send(...events);
    expect(outcomes[5]).toEqual({ uuid: bad, result: 'drop', details: 'unstorable' });
    expect(outcomes.filter(({ result }) => result === 'ok')).toHaveLength(8);
    expect(await stored()).toHaveLength(8);
    expect(await metric('tidemark_ingest_dropped_events_total', { reason: 'unstorable' })).toBe(1);
  });
});

describe('an event that is sent again is stored once', () => {
  test('in the same request, and in a concurrent one', async () => {
    const event = captured();
    const [first, second] = await Promise.all([send(event, event), send({ ...event })]);
    expect([...first, ...second].map(({ result }) => result)).toEqual(['ok', 'ok', 'ok']);
    expect(await stored()).toHaveLength(1);
    expect(await metric('tidemark_ingest_dropped_events_total', { reason: 'duplicate' })).toBe(2);
  });

  test('later', async () => {
    const event = captured();
    await send(event);
    expect(await send({ ...event, timestamp: event.timestamp + 5000 })).toEqual([{ uuid: event.uuid, result: 'ok' }]);
    expect(await stored()).toHaveLength(1);
    expect(await metric('tidemark_ingest_lookup_events_total')).toBe(0);
  });

  test('to another process, for any age of it and with a corrected time of today', async () => {
    const old = captured({ clientTime: Date.UTC(2026, 0, 5, 23), timestamp: Date.UTC(2026, 0, 5, 23) });
    const recent = captured();
    const timeless = captured({ uuid: deps.ids.uuid() });
    delete timeless.clientTime;
    await send(old, recent, timeless);
    await intake.close();
    start();
    const queried = vi.spyOn(deps.events, 'query');
    await send({ ...old, timestamp: old.timestamp + 7_200_000 }, recent, { ...timeless, timestamp: timeless.timestamp + 3000 });
    // whether its days have events, then the event, without waiting for what else is on its way into the tables
    expect(queried.mock.calls.filter(([{ allowStale }]) => allowStale)).toHaveLength(2);
    queried.mockRestore();
    expect(await stored()).toHaveLength(3);
    expect(await metric('tidemark_ingest_lookup_events_total')).toBe(1);
  });

  test('to another process, with any name and distinct id', async () => {
    const names = ["it's", 'a\\b', 'tab\t line\n', 'nul\u0000', 'half \ud800', '😀', '{x:String}', '%27', '[1]', ''];
    const old = { clientTime: 0 };
    const events = names.map((name) => captured({ ...old, event: name, distinctId: name || 'empty' }));
    await send(...events);
    await intake.close();
    start();
    await send(...events.map((event) => ({ ...event, properties: {} })));
    expect(await stored()).toHaveLength(names.length);
  });

  test('in a large request to another process', async () => {
    const events = Array.from({ length: 1500 }, (_, i) =>
      captured({ clientTime: 0, event: `event ${i % 300}`, distinctId: `id ${i}` }),
    );
    await send(...events);
    await intake.close();
    start();
    await send(...events, captured());
    expect(await stored()).toHaveLength(1501);
  });

  test('to another server, while both run', async () => {
    const config = { ...world.deps.config, clickhouseUrl: 'http://127.0.0.1:8123/shared' };
    const first = start({ config });
    start({ config });
    const event = captured({ clientTime: Date.now() - 3000 });
    await send(event);
    await first.capture({ project, ip: '', receivedAt: deps.clock.now(), events: [{ ...event, properties: {} }] });
    expect(await stored()).toHaveLength(1);
  });

  test('but the same uuid in another project is another event', async () => {
    const event = captured();
    await send(event);
    project = await world.project();
    await send(event);
    expect(await stored()).toHaveLength(1);
  });

  test('but a generated uuid is a new event', async () => {
    const event = captured({ hasClientUuid: false });
    await send(event, { ...event, uuid: deps.ids.uuid7() });
    expect(await stored()).toHaveLength(2);
  });
});

describe('event store failures', () => {
  const unavailable = () => new EventsUnavailable('away');

  test('a failure before a group is stored: the group is stored once it is back', async () => {
    world.failInserts(1, unavailable, 'before');
    expect(await send(captured(), captured())).toMatchObject([{ result: 'ok' }, { result: 'ok' }]);
    expect(await stored()).toHaveLength(2);
  });

  test('a failure after a group is stored: the group is stored once', async () => {
    world.failInserts(1, unavailable, 'after');
    expect(await send(captured({ hasClientUuid: false }), captured())).toMatchObject([{ result: 'ok' }, { result: 'ok' }]);
    expect(await stored()).toHaveLength(2);
  });

  test('while it is down the request fails, and its retry is stored once', async () => {
    for (const when of ['before', 'after'] as const) {
      const event = captured({ event: when });
      world.failInserts(1, unavailable, when);
      world.failInserts(when === 'before' ? 1 : 0, unavailable, 'after');
      const first = await send(event).catch((error: unknown) => error);
      if (when === 'before') expect(first).toBeInstanceOf(EventsUnavailable);
      expect(await send(event)).toEqual([{ uuid: event.uuid, result: 'ok' }]);
    }
    expect((await stored()).map((row) => row.event)).toEqual(['before', 'after']);
  });

  test('without disk space the request fails at once with concurrent repetitions, and the next is stored', async () => {
    world.failInserts(1, () => new EventsFull('full'), 'before');
    const event = captured();
    const sent = await Promise.allSettled([send(event), send(event)]);
    expect(sent).toMatchObject(Array(2).fill({ reason: expect.any(EventsFull) }));
    expect(await send(event)).toEqual([{ uuid: event.uuid, result: 'ok' }]);
    expect(await stored()).toHaveLength(1);
  });

  test('without the persons of a group nothing is acknowledged', async () => {
    let refuse = 1;
    start({
      events: {
        ...world.deps.events,
        insert: async (table, rows, options) => {
          if (table === 'persons' && refuse-- > 0) throw unavailable();
          return world.deps.events.insert(table, rows, options);
        },
      },
    });
    await send(captured({ distinctId: 'late', properties: { $set: { plan: 'pro' } } }));
    const { rows } = await deps.events.query({
      sql: 'select properties.plan as plan from persons where project_id = {project:UInt32}',
      params: { project: project.id },
    });
    expect(rows).toEqual([{ plan: 'pro' }]);
  });
});

test('a full queue refuses at once, and its items are stored', async () => {
  start({ config: { ...world.deps.config, queueBytes: 2000 } });
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => send(captured({ properties: { text: 'x'.repeat(500) } }))),
  );
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.length).toBeGreaterThan(10);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(QueueFull);
  expect(await stored()).toHaveLength(20 - refused.length);
  expect(await send(captured())).toMatchObject([{ result: 'ok' }]);
});

test('a close stores the queue and accepts nothing new', async () => {
  const waiting = Promise.all(Array.from({ length: 50 }, () => send(captured())));
  await intake.close();
  await waiting;
  expect(await stored()).toHaveLength(50);
  await expect(send(captured())).rejects.toBeInstanceOf(QueueFull);
  expect(intake.state()).toEqual({ lagMs: 0, waitingEvents: 0, liveEvents: 0, refusing: null });
});

test('names, property types and warnings are stored for the project', async () => {
  await send(
    captured({ event: 'bought', properties: { price: 3, when: '2026-05-01', $set: { vip: true } } }),
    captured({ event: '$$client_ingestion_warning', properties: { $$client_ingestion_warning_message: 'slow down' } }),
  );
  await send(captured({ event: 'bought', properties: { price: 4 } }));
  await intake.close();
  const of = { db: deps.db, id: project.id };
  const events = await of.db.selectFrom('event_definitions').select('name').where('project_id', '=', of.id).execute();
  expect(events).toEqual([{ name: 'bought' }]);
  const properties = await of.db
    .selectFrom('property_definitions')
    .select(['type', 'name', 'property_type'])
    .where('project_id', '=', of.id)
    .orderBy('name')
    .execute();
  expect(properties).toEqual([
    { type: 'event', name: '$ip', property_type: 'String' },
    { type: 'event', name: 'price', property_type: 'Numeric' },
    { type: 'person', name: 'vip', property_type: 'Boolean' },
    { type: 'event', name: 'when', property_type: 'DateTime' },
  ]);
  const pairs = await of.db
    .selectFrom('event_properties')
    .select(['event', 'property'])
    .where('project_id', '=', of.id)
    .execute();
  expect(pairs).toHaveLength(3);
  const warnings = await of.db
    .selectFrom('ingestion_warnings')
    .select(['type', 'details'])
    .where('project_id', '=', of.id)
    .execute();
  expect(warnings).toMatchObject([{ type: 'client_ingestion_warning', details: { message: 'slow down' } }]);
  const { ingested_event } = await of.db
    .selectFrom('projects')
    .select('ingested_event')
    .where('id', '=', of.id)
    .executeTakeFirstOrThrow();
  expect(ingested_event).toBe(true);
});
