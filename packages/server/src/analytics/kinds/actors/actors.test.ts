import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { ApiError } from '../../../kernel/errors.js';
import type { EventRow } from '../../../ports/events.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import {
  byActor,
  HISTORY_START,
  histories,
  ordinalOf,
  people,
  personOf,
  putMerges,
  putRows,
  rowsOf,
} from '../../../testing/histories.js';
import { bestRun, naiveRuns } from '../../../testing/naive-funnel.js';
import { runs } from '../../../testing/runs.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { ListResult } from '../kind.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

const NOW = Date.UTC(2024, 3, 9, 5);
const HOUR = 3_600_000;
const ZONE = 'Europe/Berlin';
const range = { date_from: '2024-03-31', date_to: '2024-04-07' };
const [FROM, TO] = [Date.UTC(2024, 2, 30, 23), Date.UTC(2024, 3, 7, 22)];

async function run(projectId: number, query: object) {
  return runQuery(events.store, validate(querySchema, query), { projectId, timezone: ZONE, now: NOW });
}

async function ids(projectId: number, source: object): Promise<string[]> {
  const query = { kind: 'ActorsQuery', select: ['id'], source: { kind: 'InsightActorsQuery', ...source } };
  const { results } = (await run(projectId, query)) as ListResult;
  return results.map(([id]) => String(id)).toSorted();
}

const lines = async (projectId: number, query: object) =>
  (await run(projectId, query)).results as unknown as {
    data: number[];
    days: string[];
    status?: string;
    breakdown_value?: string;
    values: { count: number }[];
  }[];

const node = (event: string | null, rest: object = {}) => ({ kind: 'EventsNode', event, ...rest });

const point = fc.record({
  day: fc.nat(7),
  interval: fc.constantFrom('day', 'week'),
  intervalCount: fc.constantFrom(1, 3),
  event: fc.constantFrom('a', 'b', null),
  groups: fc.boolean(),
  step: fc.constantFrom(1, 2, 3, -2, -3),
  plan: fc.constantFrom('free', 'pro', '$$_posthog_breakdown_null_$$'),
  row: fc.nat(3),
  later: fc.nat(3),
});

let projectId = 0;

test('each point lists as many persons as it counts, the same as a reference computation', async () => {
  await fc.assert(
    // a single point, so that a slow machine has time for some of them
    fc.asyncProperty(histories, point, async (history, wanted) => {
      const rows = rowsOf(history, ++projectId);
      await putRows(events, rows);
      const within = rows.filter(({ timestamp }) => timestamp >= FROM && timestamp < TO);
      const { day, interval, intervalCount, event, groups, step, plan, row, later } = wanted;
      const math = groups ? { math: 'unique_group', math_group_type_index: 1 } : { math: 'dau' };
      const group = groups ? { aggregation_group_type_index: 1 } : {};
      const actor = groups ? (one: EventRow) => one.group_1 : personOf;

      const breakdownFilter = { breakdown: 'plan' };
      const trends = { kind: 'TrendsQuery', series: [node('d'), node(event, math)], dateRange: range, breakdownFilter };
      const midnight = ordinalOf(FROM, 'day', ZONE) + day;
      const own = within.filter(
        (one) =>
          (event === null || one.event === event) &&
          ordinalOf(one.timestamp, 'day', ZONE) === midnight &&
          (one.properties['plan'] || '$$_posthog_breakdown_null_$$') === plan,
      );
      const date = new Date(midnight * 24 * HOUR).toISOString().slice(0, 10);
      const found = await ids(projectId, { source: trends, series: 1, day: date, breakdown: plan });
      expect(found).toEqual([...byActor(own, actor).keys()].toSorted());

      const funnel = { kind: 'FunnelsQuery', series: ['a', 'b', 'c'].map((name) => node(name)), dateRange: range, ...group };
      const steps = ['a', 'b', 'c'].map((name) => (one: EventRow) => one.event === name);
      const naive = { steps, exclusions: [], order: 'ordered' as const, window: 14 * 24 * HOUR };
      const reached = [...byActor(within, actor)].filter(([, all]) => {
        const length = bestRun(naiveRuns(all, naive))?.length ?? 0;
        return step > 0 ? length >= step : length === -step - 1;
      });
      const funnelled = await ids(projectId, { kind: 'FunnelsActorsQuery', source: funnel, funnelStep: step });
      expect(funnelled).toEqual(reached.map(([key]) => key).toSorted());

      const skipping = { ...funnel, series: ['a', 'b', 'c'].map((name) => node(name, { optionalInFunnel: name === 'b' })) };
      const open = { ...naive, optional: [false, true, false] };
      const skipped = [...byActor(within, actor)].filter(([, all]) => {
        const best = bestRun(naiveRuns(all, open)) ?? [];
        return step > 0 ? best[step - 1] : best[0] && !best[-step - 1];
      });
      const notTaken = await ids(projectId, { kind: 'FunnelsActorsQuery', source: skipping, funnelStep: step });
      expect(notTaken).toEqual(skipped.map(([key]) => key).toSorted());

      const over = { ...funnel, funnelsFilter: { funnelVizType: 'trends' } };
      const [line] = (await run(projectId, over)).results as Record<
        'reached_to_step_count' | 'reached_from_step_count',
        number[]
      >[];
      const entrance = { kind: 'FunnelsActorsQuery', source: over, funnelTrendsEntrancePeriodStart: date };
      const converted = await ids(projectId, entrance);
      const dropped = await ids(projectId, { ...entrance, funnelTrendsDropOff: true });
      expect(converted.length).toBe(line?.reached_to_step_count[day]);
      expect(converted.length + dropped.length).toBe(line?.reached_from_step_count[day]);

      const retention = { kind: 'RetentionQuery', ...group, dateRange: range, retentionFilter: entities(event) };
      const table = await lines(projectId, retention);
      expect((await ids(projectId, { source: retention, interval: row, later })).length).toBe(table[row]?.values[later]?.count);

      const broken = { ...retention, breakdownFilter };
      const part = (await lines(projectId, broken)).filter(({ breakdown_value: value }) => value === plan)[row];
      const inPart = await ids(projectId, { source: broken, interval: row, later, breakdown: plan });
      expect(inPart.length).toBe(part?.values[later]?.count ?? 0);

      const compareFilter = { compare: true, compare_to: '-3d' };
      const of = { series: [node(event, math)], dateRange: range, interval, intervalCount, compareFilter };
      const stickiness = { kind: 'StickinessQuery', ...of };
      for (const [index, often] of (await lines(projectId, stickiness)).entries()) {
        const number = (day % often.data.length) + 1;
        const compare = index === 0 ? 'current' : 'previous';
        expect((await ids(projectId, { source: stickiness, day: number, compare })).length).toBe(often.data[number - 1]);
      }

      const lifecycle = { kind: 'LifecycleQuery', series: [node(event)], dateRange: range, ...group };
      for (const { status, data, days } of await lines(projectId, lifecycle)) {
        const counted = await ids(projectId, { source: lifecycle, status, day: days[day] });
        expect(counted.length).toBe(Math.abs(data[day] ?? 0));
      }
    }),
    { ...runs(5), endOnFailure: true },
  );
});

const entities = (id: string | null) => ({
  targetEntity: { id: 'a', type: 'events' },
  returningEntity: { id, type: 'events' },
});

test('an edge of a path, and an end, list the persons on it', async () => {
  const visits = [
    [0, 'a', 'b', 'c'],
    [3, 'a', 'b'],
    [4, 'b', 'c'],
  ] as const;
  const own = visits.flatMap(([person, ...names]) =>
    names.map((event, index) => ({ event, person, time: index * 1000, properties: {}, group: `group ${person}` })),
  );
  await putRows(events, rowsOf(own, 390));
  const pathsQuery = async (pathsFilter: object) =>
    (await ids(390, { source: { kind: 'PathsQuery', dateRange: { date_from: '2024-03-01' }, pathsFilter } })).map((id) =>
      people.indexOf(id),
    );
  expect(await pathsQuery({ pathStartKey: '1_a', pathEndKey: '2_b' })).toEqual([0, 3]);
  expect(await pathsQuery({ pathStartKey: '2_b' })).toEqual([0]);
  expect(await pathsQuery({ pathEndKey: '2_c' })).toEqual([4]);
  expect(await pathsQuery({ pathDropoffKey: '2_b' })).toEqual([3]);
  expect(await pathsQuery({})).toEqual([0, 3, 4]);
  const dateRange = { date_from: '2024-03-01' };
  const byGroup = { kind: 'PathsQuery', dateRange, aggregation_group_type_index: 1, pathsFilter: { pathEndKey: '2_b' } };
  expect(await ids(390, { source: byGroup })).toEqual(['group 0', 'group 3']);
});

const profile = (index: number, properties: EventRow['properties'], created: number, project = 900) => ({
  project_id: project,
  person_id: people[index] ?? '',
  properties,
  is_identified: index === 0,
  is_deleted: false,
  created_at: HISTORY_START + created * HOUR,
  version: 1,
});

test('persons are listed with their properties, searched, filtered, ordered and paged', async () => {
  await events.put('persons', [
    profile(0, { email: 'ann@example.com', age: 30 }, 1),
    profile(1, { name: 'Bob Ann', age: 4 }, 2),
    profile(2, { email: 'carl@example.com' }, 3),
    profile(3, { email: 'ann@other.example' }, 4, 901),
  ]);
  const list = async (query: object) => {
    const answer = (await run(900, { kind: 'ActorsQuery', select: ['id'], ...query })) as ListResult;
    return { ...answer, people: answer.results.map(([id]) => people.indexOf(String(id))) };
  };
  expect((await list({})).people).toEqual([2, 1, 0]);
  expect((await list({ search: 'ANN' })).people).toEqual([1, 0]);
  expect((await list({ search: people[2] })).people).toEqual([2]);
  expect((await list({ properties: [{ key: 'age', operator: 'gt', value: 5 }] })).people).toEqual([0]);
  expect((await list({ orderBy: ['properties.age asc'] })).people).toEqual([1, 0, 2]);
  const first = await list({ limit: 2, orderBy: ['created_at'] });
  expect([first.people, first.hasMore]).toEqual([[0, 1], true]);
  const second = await list({ limit: 2, offset: 2, orderBy: ['created_at'] });
  expect([second.people, second.hasMore]).toEqual([[2], false]);
  const whole = (await run(900, {
    kind: 'ActorsQuery',
    select: ['actor', 'properties.age', 'created_at', 'event_count'],
    search: 'ann@',
  })) as ListResult;
  expect(whole.columns).toEqual(['actor', 'properties.age', 'created_at', 'event_count']);
  expect(whole.results).toEqual([
    [
      {
        type: 'person',
        id: people[0],
        uuid: people[0],
        properties: { email: 'ann@example.com', age: 30 },
        created_at: '2024-03-29T13:00:00Z',
        is_identified: true,
        distinct_ids: [],
      },
      30,
      '2024-03-29T13:00:00Z',
      0,
    ],
  ]);
});

const insight = { kind: 'TrendsQuery', series: [node('a')], dateRange: range };
const retention = { kind: 'RetentionQuery', dateRange: range };
const funnel = { kind: 'FunnelsQuery', series: [node('a'), node('b')] };
const overTime = { ...funnel, funnelsFilter: { funnelVizType: 'trends' } };
const of = (source: object) => ({ source: { kind: 'InsightActorsQuery', ...source } });

test.each([
  [{ select: ['shoe size'] }, 'select__0'],
  [{ orderBy: ['actor'] }, 'orderBy__0'],
  [{ limit: 0 }, 'limit'],
  [of({ source: { kind: 'EventsQuery' } }), 'source__source__kind'],
  [of({ source: insight, series: 1 }), 'source__series'],
  [of({ source: insight, day: '2019-01-01' }), 'query__source__day'],
  [of({ source: insight, breakdown: 'x' }), 'source__breakdown'],
  [of({ source: retention, interval: 100 }), 'query__source__interval'],
  [of({ source: { ...insight, kind: 'LifecycleQuery' }, day: '2024-04-01' }), 'source__status'],
  [of({ source: { ...insight, kind: 'StickinessQuery' } }), 'source__day'],
  [of({ source: funnel }), 'source__funnelStep'],
  [of({ source: funnel, funnelStep: 3 }), 'source__funnelStep'],
  [of({ source: funnel, funnelStep: -1 }), 'source__funnelStep'],
  [of({ source: funnel, funnelCustomSteps: [1, 3] }), 'source__funnelCustomSteps'],
  [of({ source: funnel, funnelCustomSteps: [] }), 'source__funnelCustomSteps'],
  [of({ source: funnel, funnelStep: 1, funnelTrendsDropOff: true }), 'source__funnelTrendsEntrancePeriodStart'],
  [of({ source: funnel, funnelTrendsEntrancePeriodStart: '2024-04-01' }), 'source__funnelTrendsEntrancePeriodStart'],
  [of({ source: overTime, funnelStep: 1, funnelTrendsEntrancePeriodStart: '2024-04-01' }), 'source__funnelStep'],
  [of({ source: overTime, funnelCustomSteps: [1], funnelTrendsEntrancePeriodStart: '2024-04-01' }), 'source__funnelCustomSteps'],
  [of({ source: funnel, funnelStep: 1, day: '2024-04-01' }), 'source__day'],
  [of({ source: funnel, funnelStep: 1, funnelStepBreakdown: 'x' }), 'source__funnelStepBreakdown'],
  [of({ source: retention, status: 'new' }), 'source__status'],
  [of({ source: insight, later: 1 }), 'source__later'],
  [of({ source: { kind: 'PathsQuery' }, series: 1 }), 'source__series'],
  [of({ source: { ...funnel, series: [node('a')] }, funnelStep: 1 }), 'source__source__series'],
])('%j is refused at %s', async (given, attr) => {
  const error = await run(1, { kind: 'ActorsQuery', ...given }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ body: { attr } });
});
