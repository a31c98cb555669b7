import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createScheduler } from '../../adapters/system/index.js';
import { createCaches } from '../../caches/index.js';
import { validate } from '../../http/validate.js';
import type { EventsStore, PersonTables } from '../../ports/events.js';
import { eventRow, type TestEvents, testEvents } from '../../testing/events.js';
import { runs } from '../../testing/runs.js';
import { createExecute } from '../execute.js';
import { querySchema } from '../query.js';
import { prepareQuery, runQuery } from '../run.js';
import { createIntervalParts, createPartsCache, type IntervalParts } from './interval-parts.js';
import { createPersonRows } from './person-rows.js';

const DAY = 86_400_000;
const NOW = Date.UTC(2024, 3, 2, 15);
const PERSONS = 6;
const uuidOf = (person: number) => `00000000-0000-4000-8000-0000000000e${person}`;

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
});
afterAll(() => events.close());

/** Several services write to the store of a cluster, so it has no rows by person. */
const onEmbedded = test.skipIf(Boolean(inject('clickhouseCluster')));

let lastProject = 1_000;
let lastRow = 0;
let lastToken = 0;

const LIMITS = { worthwhile: 0, renewAt: 3, most: 100, vain: Number.POSITIVE_INFINITY };

/** A project whose results are renewed in the background, from rows by person wherever that is possible. */
function personsProject(limits = LIMITS, tables: Partial<PersonTables> = {}) {
  const projectId = ++lastProject;
  const scheduler = createScheduler();
  let waited = 0;
  const later = { ...scheduler, uptime: () => scheduler.uptime() + waited };
  const caches = createCaches({ now: () => NOW });
  const parts = createPartsCache(caches);
  const statements: string[] = [];
  let last: ReturnType<IntervalParts['reused']> | null = null;
  const store: EventsStore = {
    ...events.store,
    ...(events.store.personTables ? { personTables: { ...events.store.personTables, ...tables } } : {}),
    query: (statement) => {
      statements.push(statement.sql);
      return events.store.query(statement);
    },
  };
  const rows = createPersonRows({ events: store, scheduler: later, log: pino({ level: 'silent' }) }, caches, limits);
  if (!rows) throw new Error('The embedded store has rows by person.');
  /** To whom each distinct id belongs, and belonged before the last merge. */
  const owner = (person: number) => owners.get(person) ?? { now: person, before: person, mergedAt: 0 };
  const owners = new Map<number, { now: number; before: number; mergedAt: number }>();
  const context = { projectId, timezone: 'UTC', now: NOW, hasDenseEvents: async () => projectId % 2 === 0 };
  const parsed = (query: object) => validate(querySchema, query);
  return {
    /** The statements since the last call: `changed` reads rows of persons with changed events, `cached` no events, `whole` all of them. */
    statements: () =>
      statements
        .splice(0)
        .map((sql) => (sql.includes('with changed as') ? 'changed' : sql.includes('from memory.') ? 'cached' : 'whole')),
    /** What the last result is said to consist of. */
    reused: () => last,
    cached: () => caches.stats().find(({ name }) => name === 'person_rows'),
    wait: (ms: number) => {
      waited += ms;
    },
    /** `isLate`: the person of the event was read before the last merge of its distinct id. */
    capture: (all: { person: number; at: number; event: string; isLate?: boolean }[]) =>
      Promise.all(
        all.map(({ person, at, event, isLate = false }) => {
          const { now, before, mergedAt } = owner(person);
          return events.store.insert(
            'events',
            [
              eventRow(++lastRow, {
                project_id: projectId,
                event,
                distinct_id: `d${person}`,
                person_id: uuidOf(isLate ? before : now),
                timestamp: at,
              }),
            ],
            { token: `late ${++lastToken}`, readAt: isLate && mergedAt > 0 ? mergedAt - 1 : scheduler.uptime() },
          );
        }),
      ),
    /** Gives a distinct id to somebody. `isKnown`: the store learns to whom it belonged. */
    merge: async (person: number, into: number, isKnown = true) => {
      const { now } = owner(person);
      owners.set(person, { now: into, before: now, mergedAt: scheduler.uptime() });
      const row = { project_id: projectId, distinct_id: `d${person}`, person_id: uuidOf(into), version: ++lastToken };
      await events.store.insert('person_overrides', [{ ...row, ...(isKnown ? { former_person_ids: [uuidOf(now)] } : {}) }], {
        token: `merge ${lastToken}`,
      });
    },
    remove: (person: number) =>
      expect
        .poll(() => events.store.deleteEvents(projectId, [{ distinctIds: [`d${person}`], until: NOW + DAY }]), { interval: 50 })
        .toBe(true),
    renewed: async (query: object, workload: 'background' | 'interactive' = 'background') => {
      const version = await events.store.dataVersion(projectId);
      const persons = { rows, run: createExecute(store, projectId) };
      const intervals = createIntervalParts(parts, { projectId, version, now: NOW, workload, persons });
      const result = await (await prepareQuery(parsed(query), context)).compute(store, undefined, intervals);
      last = intervals.reused();
      return result;
    },
    whole: (query: object) => runQuery(events.store, parsed(query), context),
  };
}

const node = (event: string, more: object = {}) => ({ kind: 'EventsNode', event, ...more });
const dateRange = { date_from: '-9d' };
const funnel = (more: object = {}) => ({ kind: 'FunnelsQuery', series: [node('seen'), node('bought')], dateRange, ...more });
const entity = { id: 'bought', type: 'events' };
const retention = (more: object = {}) => ({
  kind: 'RetentionQuery',
  retentionFilter: {
    period: 'Day',
    totalIntervals: 9,
    targetEntity: entity,
    returningEntity: { ...entity, id: 'seen' },
    ...more,
  },
});

const QUERIES: object[] = [
  funnel(),
  funnel({ funnelsFilter: { funnelOrderType: 'unordered' } }),
  funnel({ funnelsFilter: { funnelOrderType: 'strict' } }),
  funnel({ funnelsFilter: { funnelVizType: 'trends' } }),
  funnel({ funnelsFilter: { funnelVizType: 'time_to_convert' } }),
  funnel({ breakdownFilter: { breakdown: '$group_0', breakdown_type: 'event' } }),
  funnel({ series: [node('seen'), node('bought', { math: 'first_time_for_user' })] }),
  { kind: 'TrendsQuery', series: [node('seen', { math: 'dau' })], dateRange, trendsFilter: { display: 'BoldNumber' } },
  { kind: 'PathsQuery', dateRange, pathsFilter: { includeEventTypes: ['custom_event'] } },
  funnel({ aggregation_group_type_index: 0 }),
  retention(),
  retention({ returningEntity: entity }),
  retention({ retentionType: 'retention_first_time' }),
  { kind: 'StickinessQuery', series: [node('bought'), node('seen')], dateRange },
  {
    kind: 'StickinessQuery',
    series: [node('bought')],
    dateRange,
    stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 2 } },
  },
];

const person = fc.nat(PERSONS - 1);
// several events at once make paths
const at = fc
  .oneof(
    fc.nat(9 * 24),
    fc.nat(9).map((days) => days * 24),
  )
  .map((hours) => NOW - hours * (DAY / 24));
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(
        fc.record({ person, at, event: fc.constantFrom('seen', 'bought'), isLate: fc.nat(3).map((number) => number === 0) }),
        { minLength: 1, maxLength: 4 },
      )
      .map((all) => ({ do: 'capture' as const, all })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('merge' as const),
      person,
      into: person,
      isKnown: fc.nat(9).map((number) => number > 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), person }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('renew' as const), query: fc.constantFrom(...QUERIES) }) },
);

onEmbedded('renewed results are what a computation from events returns, whatever happened between', async () => {
  let fromRows = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...QUERIES), fc.array(step, { minLength: 8, maxLength: 16 }), async (often, steps) => {
      const project = personsProject();
      await project.capture(
        Array.from({ length: PERSONS }, (_, index) => ({ person: index, at: NOW - index * DAY, event: 'seen' })),
      );
      for (const one of steps) {
        if (one.do === 'capture') await project.capture(one.all);
        else if (one.do === 'merge') await project.merge(one.person, one.into, one.isKnown);
        else if (one.do === 'remove') await project.remove(one.person);
        else expect(await project.renewed(one.query)).toEqual(await project.whole(one.query));
        expect(await project.renewed(often)).toEqual(await project.whole(often));
      }
      fromRows += project.statements().filter((read) => read === 'changed').length;
    }),
    runs(16),
  );
  // the comparison is worth something only where rows were reused
  expect(fromRows).toBeGreaterThan(12);
});

const SEEN = [0, 1, 2, 3].map((one) => ({ person: one, at: NOW - one * DAY, event: 'seen' }));

onEmbedded('rows are cached by the background alone, and serve everybody', async () => {
  const project = personsProject();
  await project.capture(SEEN);
  for (const _ of [1, 2]) await project.renewed(funnel(), 'interactive');
  expect(project.statements()).toEqual(['whole', 'whole']);
  await project.renewed(funnel());
  expect(project.statements()).toEqual(['cached']);
  await project.capture([{ person: 0, at: NOW, event: 'bought' }]);
  await project.renewed(funnel(), 'interactive');
  await project.renewed(funnel());
  // another number over the same rows
  await project.renewed(funnel({ breakdownFilter: {} }));
  expect(project.statements()).toEqual(['changed', 'changed', 'changed']);
  expect(project.cached()).toMatchObject({ entries: 1, hits: 4, misses: 2 });
});

onEmbedded('people see the statement that computes the result from events', async () => {
  const project = personsProject();
  await project.capture(SEEN);
  await project.renewed(funnel(), 'interactive');
  expect(project.reused()).toEqual({ count: 0, isByPerson: false, statements: [] });
  await project.renewed(funnel());
  expect(project.reused()).toMatchObject({ isByPerson: true, statements: [{ sql: expect.stringContaining('from events') }] });
});

onEmbedded('rows are cached anew once many persons have changed, and when nobody knows who has', async () => {
  const project = personsProject();
  await project.capture(SEEN);
  for (const _ of [1, 2]) await project.renewed(funnel());
  await project.capture(SEEN);
  await project.renewed(funnel(), 'interactive');
  await project.renewed(funnel());
  await project.renewed(funnel());
  expect(project.statements()).toEqual(['cached', 'cached', 'changed', 'cached', 'cached']);
  await project.merge(1, 2, false);
  await project.renewed(funnel(), 'interactive');
  await project.renewed(funnel());
  expect(project.statements()).toEqual(['whole', 'cached']);
});

onEmbedded('rows are not cached while nobody knows whose events change', async () => {
  const project = personsProject(LIMITS, { changedSince: () => null });
  await project.capture(SEEN);
  for (const _ of [1, 2]) await project.renewed(funnel());
  expect(project.statements()).toEqual(['whole', 'whole']);
});

onEmbedded('rows that were lost with their engine are computed from events, and cached again', async () => {
  const names: string[] = [];
  const create: PersonTables['create'] = async (statement) => {
    const table = await events.store.personTables?.create(statement);
    if (!table) throw new Error('The embedded store has tables by person.');
    names.push(table.name);
    return table;
  };
  const project = personsProject(LIMITS, { create });
  await project.capture(SEEN);
  for (const _ of [1, 2]) await project.renewed(funnel());
  for (const name of names) events.store.personTables?.drop(name);
  // tables are changed one after the other
  await events.store.personTables?.create({ sql: 'select 1 as one' });
  expect(await project.renewed(funnel())).toEqual(await project.whole(funnel()));
  project.statements();
  await project.renewed(funnel());
  expect(project.statements()).toEqual(['cached']);
});

onEmbedded.each([
  ['that take too much memory', LIMITS, { maxBytes: 10 }, (hits: number) => [['whole'], hits]],
  ['that save nothing', { ...LIMITS, vain: 0 }, {}, (hits: number) => [['cached'], hits + 1]],
] as const)('rows %s are dropped, and cached again ten minutes later', async (_, limits, tables, isTried) => {
  const project = personsProject(limits, tables);
  await project.capture(SEEN);
  for (const _ of [1, 2]) await project.renewed(funnel());
  expect(project.cached()).toMatchObject({ entries: 0 });
  project.statements();
  project.wait(599_000);
  await project.renewed(funnel());
  expect(project.statements()).toEqual(['whole']);
  const { hits = 0 } = project.cached() ?? {};
  project.wait(2_000);
  await project.renewed(funnel());
  expect(project.cached()).toMatchObject({ entries: 0 });
  expect([project.statements(), project.cached()?.hits]).toEqual(isTried(hits));
});

onEmbedded('results that are quick enough are computed from events', async () => {
  const project = personsProject({ ...LIMITS, worthwhile: 60_000 });
  await project.capture(SEEN);
  for (const _ of [1, 2, 3]) await project.renewed(funnel());
  expect(project.statements()).toEqual(['whole', 'whole', 'whole']);
});

onEmbedded('rows that nobody has used for ten minutes are dropped', async () => {
  const project = personsProject();
  await project.capture(SEEN);
  for (const _ of [1, 2]) await project.renewed(funnel());
  expect(project.cached()).toMatchObject({ entries: 1 });
  project.wait(600_001);
  await project.renewed(retention(), 'interactive');
  expect(project.cached()).toMatchObject({ entries: 0 });
});
