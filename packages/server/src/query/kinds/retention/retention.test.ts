import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import type { EventRow } from '../../../ports/events.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { byActor, histories, ordinalOf, personOf, putMerges, putRows, rowsOf } from '../../../testing/histories.js';
import { querySchema } from '../../query-schema.js';
import { runQuery } from '../../run.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

const NOW = Date.UTC(2024, 3, 9, 5);

const asked = fc.record({
  period: fc.constantFrom('Hour', 'Day', 'Week', 'Month'),
  type: fc.constantFrom('retention_first_time', 'retention_recurring'),
  target: fc.constantFrom('a', 'b', null),
  returning: fc.constantFrom('a', 'c', null),
  isPro: fc.boolean(),
  total: fc.integer({ min: 1, max: 9 }),
  from: fc.constantFrom('2024-03-30', '2024-04-02', null),
  to: fc.constantFrom('2024-04-05', '2024-04-07', null),
  cumulative: fc.boolean(),
  groups: fc.boolean(),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

const PRO = [{ key: 'plan', type: 'event', operator: 'exact', value: ['pro'] }];

const queryOf = ({ period, type, target, returning, isPro, total, from, to, cumulative, groups }: Asked) => ({
  kind: 'RetentionQuery',
  dateRange: { date_from: from, date_to: to },
  ...(groups ? { aggregation_group_type_index: 1 } : {}),
  retentionFilter: {
    period,
    retentionType: type,
    targetEntity: { id: target, type: 'events', properties: isPro ? PRO : [] },
    returningEntity: { id: returning, type: 'events' },
    totalIntervals: total,
    cumulative,
  },
});

/** The numbers of the rows as they are asked for, from the calendar alone. */
function naive(rows: EventRow[], query: Asked): number[][] {
  const interval = ({ Hour: 'hour', Day: 'day', Week: 'week', Month: 'month' } as const)[query.period] ?? 'day';
  const ordinal = (instant: number) => ordinalOf(instant, interval, query.timezone);
  const midnight = (date: string) => midnightOf(date, query.timezone);
  const end =
    query.to === null
      ? interval === 'hour'
        ? NOW + 3_600_000
        : midnight('2024-04-10')
      : midnight(query.to === '2024-04-05' ? '2024-04-06' : '2024-04-08');
  const last = ordinal(end - 1);
  const first = query.from === null ? last - query.total + 1 : ordinal(midnight(query.from));
  const isTarget = (row: EventRow) =>
    (query.target === null || row.event === query.target) && (!query.isPro || row.properties['plan'] === 'pro');
  const table = Array.from({ length: last - first + 1 }, (_, index) =>
    Array.from({ length: Math.min(query.total, last - first + 1 - index) }, () => 0),
  );
  const past = rows.filter(({ timestamp }) => timestamp < end);
  for (const own of byActor(past, query.groups ? (row) => row.group_1 : personOf).values()) {
    const began = own.filter(isTarget).map((row) => ordinal(row.timestamp));
    const begins = query.type === 'retention_first_time' ? began.toSorted((a, b) => a - b).slice(0, 1) : began;
    const came = new Set(
      own.filter((row) => query.returning === null || row.event === query.returning).map((row) => ordinal(row.timestamp)),
    );
    for (const start of new Set(begins.filter((one) => one >= first))) {
      const line = table[start - first] ?? [];
      for (const later of line.keys()) {
        const counts = query.cumulative ? [...came].some((one) => one >= start + later && one > start) : came.has(start + later);
        if (later === 0 || counts) line[later] = (line[later] ?? 0) + 1;
      }
    }
  }
  return table;
}

function midnightOf(date: string, zone: string): number {
  const around = Date.parse(`${date}T00:00:00Z`);
  const hours = Array.from({ length: 49 }, (_, hour) => around + (hour - 24) * 3_600_000);
  return hours.find((instant) => ordinalOf(instant, 'day', zone) === around / 86_400_000) ?? Number.NaN;
}

let projectId = 0;

test('who came back in random events is what a plain computation says: periods, zones, first times, merges and groups', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.array(asked, { minLength: 8, maxLength: 8 }), async (history, queries) => {
      const rows = rowsOf(history, ++projectId);
      await putRows(events, rows);
      for (const query of queries) {
        const parsed = validate(querySchema, queryOf(query));
        const { results } = await runQuery(events.store, parsed, { projectId, timezone: query.timezone, now: NOW });
        const counts = (results as { values: { count: number }[] }[]).map(({ values }) => values.map(({ count }) => count));
        expect(counts, JSON.stringify(query)).toEqual(naive(rows, query));
      }
    }),
    { numRuns: 8, endOnFailure: true },
  );
}, 120_000);

test('rows say when they begin, in the time of the project, and what to call them', async () => {
  const query = validate(querySchema, {
    kind: 'RetentionQuery',
    dateRange: { date_to: '2024-04-01' },
    retentionFilter: { period: 'Day', totalIntervals: 3 },
  });
  const { results } = await runQuery(events.store, query, { projectId: 999, timezone: 'Europe/Berlin', now: NOW });
  expect(results).toEqual([
    { date: '2024-03-30T00:00:00+01:00', label: 'Day 0', values: ['Day 0', 'Day 1', 'Day 2'].map(empty) },
    { date: '2024-03-31T00:00:00+01:00', label: 'Day 1', values: ['Day 0', 'Day 1'].map(empty) },
    { date: '2024-04-01T00:00:00+02:00', label: 'Day 2', values: ['Day 0'].map(empty) },
  ]);
});

const empty = (label: string) => ({ count: 0, label });

test.each([
  [{ retentionFilter: { period: 'Year' } }, 'retentionFilter__period'],
  [{ retentionFilter: { totalIntervals: 0 } }, 'retentionFilter__totalIntervals'],
  [{ retentionFilter: { totalIntervals: 1000 } }, 'retentionFilter__totalIntervals'],
  [{ retentionFilter: { retentionType: 'sometimes' } }, 'retentionFilter__retentionType'],
  [{ retentionFilter: { targetEntity: { id: 'a', type: 'actions' } } }, 'retentionFilter__targetEntity__type'],
  [{ dateRange: { date_from: 'long ago' } }, 'dateRange__date_from'],
  [{ aggregation_group_type_index: 5 }, 'aggregation_group_type_index'],
])('%j is refused at %s', (given, attr) => {
  const refused = expect.objectContaining({ body: expect.objectContaining({ attr }) });
  expect(() => validate(querySchema, { kind: 'RetentionQuery', ...given })).toThrow(refused);
});

test('more periods than can be shown are refused at the date', async () => {
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
