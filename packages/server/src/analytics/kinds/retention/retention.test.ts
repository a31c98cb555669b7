import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
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
import { type NaiveRetention, naiveRetention } from '../../../testing/naive-retention.js';
import { runs } from '../../../testing/runs.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

const NOW = Date.UTC(2024, 3, 9, 5);

const anyQuery = fc.record({
  period: fc.constantFrom('Hour', 'Day', 'Week', 'Month'),
  type: fc.constantFrom('retention_first_time', 'retention_recurring'),
  target: fc.constantFrom('a', 'b', null),
  returning: fc.constantFrom('a', 'c', null),
  isPro: fc.boolean(),
  total: fc.integer({ min: 1, max: 9 }),
  from: fc.constantFrom('2024-03-30', '2024-04-02', null),
  to: fc.constantFrom('2024-04-05', '2024-04-07', '2024-04-05T10:20:30', null),
  cumulative: fc.boolean(),
  brackets: fc.constantFrom<number[] | null>(null, null, [1], [2, 1, 3], [1, 5]),
  groups: fc.boolean(),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
});
type AnyQuery = typeof anyQuery extends fc.Arbitrary<infer T> ? T : never;

const BREAKDOWNS = {
  event: { breakdown: 'plan' },
  person: { breakdown: 'tier', breakdown_type: 'person' },
  group: { breakdown: 'size', breakdown_type: 'group', breakdown_group_type_index: 1 },
  several: { breakdowns: [{ property: 'plan' }, { property: 'path', normalize_url: true }] },
};

const detailed = fc.record({
  anyQuery,
  begins: fc.constantFrom('every_period' as const, 'first_time' as const, 'first_ever' as const),
  minimum: fc.constantFrom(1, 2, 3),
  isRolling: fc.boolean(),
  breakdown: fc.constantFrom(null, 'event' as const, 'person' as const, 'group' as const, 'several' as const),
  limit: fc.constantFrom(1, 2, 25),
  hideOther: fc.boolean(),
});
type Detailed = typeof detailed extends fc.Arbitrary<infer T> ? T : never;

const PRO = [{ key: 'plan', type: 'event', operator: 'exact', value: ['pro'] }];

const queryOf = (
  { period, type, target, returning, isPro, total, from, to, brackets, cumulative, groups }: AnyQuery,
  rest: object = {},
) => ({
  kind: 'RetentionQuery',
  dateRange: { date_from: from, date_to: to },
  ...(groups ? { aggregation_group_type_index: 1 } : {}),
  retentionFilter: {
    period,
    retentionType: type,
    targetEntity: { id: target, type: 'events', properties: isPro ? PRO : [] },
    returningEntity: { id: returning, type: 'events' },
    totalIntervals: total,
    ...(brackets ? { retentionCustomBrackets: brackets } : {}),
    cumulative,
    ...rest,
  },
});

const TYPES = {
  every_period: 'retention_recurring',
  first_time: 'retention_first_time',
  first_ever: 'retention_first_ever_occurrence',
};

const detailedOf = ({ anyQuery, begins, minimum, isRolling, breakdown, limit, hideOther }: Detailed) => ({
  ...queryOf(anyQuery, {
    retentionType: TYPES[begins],
    minimumOccurrences: minimum,
    timeWindowMode: isRolling ? '24_hour_windows' : 'strict_calendar_dates',
  }),
  ...(breakdown
    ? {
        breakdownFilter: {
          ...BREAKDOWNS[breakdown],
          breakdown_limit: limit,
          breakdown_hide_other_aggregation: hideOther,
        },
      }
    : {}),
});

const HOUR = 3_600_000;
const LENGTHS: Record<string, number> = { Hour: HOUR, Day: 24 * HOUR, Week: 168 * HOUR, Month: 720 * HOUR };

/** A moment in the last period: every period is whole, so that of a date with a time of day is its hour, day, week or month. */
function lastMoment({ period, to, timezone }: AnyQuery): number {
  if (to === null) return period === 'Hour' ? NOW : midnightOf('2024-04-10', timezone) - 1;
  const [date = '', time] = to.split('T');
  const midnight = midnightOf(date, timezone);
  return time ? midnight + Date.parse(`1970-01-01T${time}Z`) : midnight + 24 * HOUR - 1;
}

/** What is asked for, from the calendar alone. */
function naive(query: AnyQuery, rest: Partial<NaiveRetention> = {}): NaiveRetention {
  const interval = ({ Hour: 'hour', Day: 'day', Week: 'week', Month: 'month' } as const)[query.period] ?? 'day';
  const ordinal = (instant: number) => ordinalOf(instant, interval, query.timezone);
  const midnight = (date: string) => midnightOf(date, query.timezone);
  const last = ordinal(lastMoment(query));
  const isNamed = (row: EventRow) => query.target === null || row.event === query.target;
  return {
    ordinal,
    last,
    first: query.from === null ? last - query.total + 1 : ordinal(midnight(query.from)),
    isNamed,
    isTarget: (row) => isNamed(row) && (!query.isPro || row.properties['plan'] === 'pro'),
    isReturning: (row) => query.returning === null || row.event === query.returning,
    begins: query.type === 'retention_first_time' ? 'first_time' : 'every_period',
    total: query.total,
    brackets: query.brackets,
    cumulative: query.cumulative,
    minimum: 1,
    rolling: null,
    partOf: () => '',
    ...rest,
  };
}

const naiveTables = (rows: EventRow[], { groups }: AnyQuery, query: NaiveRetention) =>
  naiveRetention(byActor(rows, groups ? (row) => row.group_1 : personOf).values(), query);

const emptyTable = ({ first, last, total, brackets }: NaiveRetention) =>
  Array.from({ length: last - first + 1 }, () => Array(brackets ? brackets.length + 1 : total).fill(0));

function midnightOf(date: string, zone: string): number {
  const around = Date.parse(`${date}T00:00:00Z`);
  const halfHours = Array.from({ length: 97 }, (_, half) => around + (half - 48) * 1_800_000);
  return halfHours.find((instant) => ordinalOf(instant, 'day', zone) === around / 86_400_000) ?? Number.NaN;
}

type Row = { values: { count: number }[]; breakdown_value?: string | string[] };
const countsOf = (rows: Row[]) => rows.map(({ values }) => values.map(({ count }) => count));
const compute = async (projectId: number, query: object, timezone: string) => {
  const context = { projectId, timezone, now: NOW, hasDenseEvents: async () => projectId % 2 === 0 };
  const { results } = await runQuery(events.store, validate(querySchema, query), context);
  return results as Row[];
};

let projectId = 0;

test('retention of random events equals a reference computation: periods, zones, first times, merges and groups', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.array(anyQuery, { minLength: 8, maxLength: 8 }), async (history, queries) => {
      const rows = rowsOf(history, ++projectId);
      await putRows(events, rows);
      for (const query of queries) {
        const plain = naive(query);
        const expected = naiveTables(rows, query, plain).get('') ?? emptyTable(plain);
        const counts = countsOf(await compute(projectId, queryOf(query), query.timezone));
        expect(counts, JSON.stringify(query)).toEqual(expected);
      }
    }),
    { ...runs(8), endOnFailure: true },
  );
});

const NONE = '$$_posthog_breakdown_null_$$';
const OTHER = '$$_posthog_breakdown_other_$$';
const TIERS = ['gold', 'silver', 'gold', 'gold', '', 'gold', 'silver'];
const SIZES: Record<string, string> = { x: 'small', y: 'large' };

/** The breakdown values of a row's event, joined. */
const VALUES: Record<keyof typeof BREAKDOWNS, (row: EventRow) => string> = {
  event: (row) => String(row.properties['plan'] || NONE),
  person: (row) => TIERS[people.indexOf(personOf(row))] || NONE,
  group: (row) => SIZES[row.group_1] ?? NONE,
  several: (row) =>
    [row.properties['plan'], String(row.properties['path'] ?? '').replace(/\/$/, '')].map((one) => one || NONE).join('\0'),
};

async function putOwners(project_id: number): Promise<void> {
  const common = { project_id, created_at: 0, version: 1 };
  const person = (tier: string, index: number) => ({
    ...common,
    person_id: people[index] ?? '',
    properties: { tier },
    is_identified: true,
    is_deleted: false,
  });
  await events.put('persons', TIERS.map(person));
  const group = ([group_key, size]: [string, string]) => ({ ...common, group_type_index: 1, group_key, properties: { size } });
  await events.put('groups', Object.entries(SIZES).map(group));
}

/** The tables as they are shown: the largest values first, and the rest in one. */
function shownTables(tables: Map<string, number[][]>, { limit, hideOther }: Detailed): [string, number[][]][] {
  const size = (table: number[][]) => table.reduce((sum, [began = 0]) => sum + began, 0);
  const sorted = [...tables].toSorted(([a, one], [b, other]) => size(other) - size(one) || (a < b ? -1 : 1));
  const [first, ...others] = sorted.slice(limit).map(([, table]) => table);
  const sum = first?.map((row, start) =>
    row.map((own, later) => others.reduce((all, one) => all + (one[start]?.[later] ?? 0), own)),
  );
  return [...sorted.slice(0, limit), ...(sum && !hideOther ? [[OTHER, sum] as [string, number[][]]] : [])];
}

test('first-ever events, repeated activity, periods of 24 hours and breakdowns equal a reference computation', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.array(detailed, { minLength: 9, maxLength: 9 }), async (history, queries) => {
      const rows = rowsOf(history, ++projectId);
      await putRows(events, rows);
      await putOwners(projectId);
      for (const query of queries) {
        const plain = naive(query.anyQuery, {
          begins: query.begins,
          minimum: query.minimum,
          rolling: query.isRolling ? (LENGTHS[query.anyQuery.period] ?? 0) : null,
          ...(query.breakdown ? { partOf: VALUES[query.breakdown] } : {}),
        });
        const tables = naiveTables(rows, query.anyQuery, plain);
        const found = await compute(projectId, detailedOf(query), query.anyQuery.timezone);
        if (!query.breakdown) {
          expect(countsOf(found), JSON.stringify(query)).toEqual(tables.get('') ?? emptyTable(plain));
          continue;
        }
        const expected = shownTables(tables, query).flatMap(([value, table]) =>
          table.map((row) => [query.breakdown === 'several' ? manyOf(value) : value, row]),
        );
        const shown = found.map((row) => [row.breakdown_value, row.values.map(({ count }) => count)]);
        expect(shown, JSON.stringify(query)).toEqual(expected);
      }
    }),
    { ...runs(6), endOnFailure: true },
  );
});

const manyOf = (value: string) => (value === OTHER ? [OTHER, OTHER] : value.split('\0'));

test('more periods than bits of a mask work: a breakdown of hours, and ranges of numbers', async () => {
  const project_id = ++projectId;
  const began = Date.UTC(2024, 2, 1);
  const event = (hour: number, amount: number | undefined, person: number) => ({
    event: 'a',
    person,
    time: began - HISTORY_START + hour * HOUR,
    properties: amount === undefined ? {} : { amount },
    group: '',
  });
  await putRows(events, rowsOf([event(0, 1, 3), event(300, 9, 3), event(300, 5, 4), event(301, undefined, 6)], project_id));
  const found = await compute(
    project_id,
    {
      kind: 'RetentionQuery',
      dateRange: { date_from: '2024-03-01', date_to: '2024-03-13' },
      breakdownFilter: { breakdown: 'amount', breakdown_histogram_bin_count: 2 },
      retentionFilter: {
        period: 'Hour',
        totalIntervals: 2,
        targetEntity: { id: 'a', type: 'events' },
        returningEntity: { id: 'a', type: 'events' },
      },
    },
    'UTC',
  );
  const began2 = found.flatMap(({ values, breakdown_value: value }, row) =>
    values[0]?.count ? [[value, row % 312, values[0].count]] : [],
  );
  expect(began2).toEqual([
    ['[5,9]', 300, 2],
    [NONE, 301, 1],
    ['[1,5]', 0, 1],
  ]);
});

test('rows have their start in the time zone of the project, and a label', async () => {
  const query = validate(querySchema, {
    kind: 'RetentionQuery',
    dateRange: { date_to: '2024-04-01' },
    retentionFilter: { period: 'Day', totalIntervals: 3 },
  });
  const { results } = await runQuery(events.store, query, { projectId: 999, timezone: 'Europe/Berlin', now: NOW });
  expect(results).toEqual([
    { date: '2024-03-30T00:00:00+01:00', label: 'Day 0', values: ['Day 0', 'Day 1', 'Day 2'].map(empty) },
    { date: '2024-03-31T00:00:00+01:00', label: 'Day 1', values: ['Day 0', 'Day 1', 'Day 2'].map(empty) },
    { date: '2024-04-01T00:00:00+02:00', label: 'Day 2', values: ['Day 0', 'Day 1', 'Day 2'].map(empty) },
  ]);
});

const empty = (label: string) => ({ count: 0, label });

test.each([
  [{ retentionFilter: { period: 'Year' } }, 'retentionFilter__period'],
  [{ retentionFilter: { totalIntervals: 0 } }, 'retentionFilter__totalIntervals'],
  [{ retentionFilter: { totalIntervals: 1000 } }, 'retentionFilter__totalIntervals'],
  [{ retentionFilter: { retentionType: 'sometimes' } }, 'retentionFilter__retentionType'],
  [{ retentionFilter: { targetEntity: { id: 'a', type: 'actions' } } }, 'retentionFilter__targetEntity__id'],
  [{ dateRange: { date_from: 'long ago' } }, 'dateRange__date_from'],
  [{ retentionFilter: { minimumOccurrences: 0 } }, 'retentionFilter__minimumOccurrences'],
  [{ retentionFilter: { timeWindowMode: '12_hour_windows' } }, 'retentionFilter__timeWindowMode'],
  [{ breakdownFilter: { breakdown: 'size', breakdown_type: 'group' } }, 'breakdownFilter__breakdown_group_type_index'],
  [{ breakdownFilter: { breakdown: ['x'], breakdown_type: 'cohort' } }, 'breakdownFilter__breakdown'],
  [{ aggregation_group_type_index: 5 }, 'aggregation_group_type_index'],
])('%j is refused at %s', (given, attr) => {
  const refused = expect.objectContaining({ body: expect.objectContaining({ attr }) });
  expect(() => validate(querySchema, { kind: 'RetentionQuery', ...given })).toThrow(refused);
});

test('a result with too many numbers is refused at the number of values', async () => {
  const query = validate(querySchema, {
    kind: 'RetentionQuery',
    dateRange: { date_from: '2024-01-01', date_to: '2024-04-08' },
    breakdownFilter: { breakdown: 'plan', breakdown_limit: 1000 },
    retentionFilter: { period: 'Day', totalIntervals: 100 },
  });
  const attr = 'query__breakdownFilter__breakdown_limit';
  await expect(runQuery(events.store, query, { projectId: 1, timezone: 'UTC', now: NOW })).rejects.toThrow(
    expect.objectContaining({ body: expect.objectContaining({ attr }) }),
  );
});

test('too many periods are refused at the date', async () => {
  const query = validate(querySchema, {
    kind: 'RetentionQuery',
    dateRange: { date_from: '2010-01-01' },
    retentionFilter: { period: 'Hour' },
  });
  const attr = 'query__dateRange__date_from';
  await expect(runQuery(events.store, query, { projectId: 1, timezone: 'UTC', now: NOW })).rejects.toThrow(
    expect.objectContaining({ body: expect.objectContaining({ attr }) }),
  );
});
