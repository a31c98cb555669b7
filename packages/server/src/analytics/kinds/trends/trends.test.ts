import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import type { EventRow } from '../../../ports/events.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import {
  type NaiveSeries,
  naiveBuckets,
  naiveNumber,
  naiveNumbers,
  naiveTrendBuckets,
  textOf,
} from '../../../testing/naive-trends.js';
import { runs } from '../../../testing/runs.js';
import { putSeeded, seededData } from '../../../testing/seeded-events.js';
import { trendsLines } from '../../../testing/trends-lines.js';
import { BREAKDOWN_NULL, BREAKDOWN_OTHER } from '../../breakdown.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { TrendsSeries } from './line.js';

const data = seededData({ seed: 5, events: 1_200 });
const NOW = Date.UTC(2024, 3, 20, 15);
const DAY = 86_400_000;

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putSeeded(events, data);
  await putSeeded(events, seededData({ seed: 6, events: 200, projectId: 2 }));
});
afterAll(() => events.close());

let calls = 0;

async function trends(query: object, timezone = 'UTC'): Promise<TrendsSeries[]> {
  const parsed = validate(querySchema, { kind: 'TrendsQuery', ...query });
  // both ways to count persons
  const isDense = ++calls % 2 === 0;
  const hasDenseEvents = async () => isDense;
  const result = await runQuery(events.store, parsed, { projectId: 1, timezone, now: NOW, hasDenseEvents });
  return trendsLines(result);
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'America/Havana', 'Africa/Cairo'];
const STATISTICS = ['sum', 'avg', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'];
const MATHS: Omit<NaiveSeries, 'event'>[] = [
  ...[
    'total',
    'dau',
    'weekly_active',
    'monthly_active',
    'unique_session',
    'first_time_for_user',
    'first_matching_event_for_user',
  ].map((math) => ({ math })),
  { math: 'unique_group', math_group_type_index: 0 },
  ...STATISTICS.map((math) => ({ math, math_property: 'amount' })),
  ...['sum', 'avg', 'median', 'p90', 'max'].map((math) => ({ math, math_property: '$session_duration' })),
  { math: 'hogql', math_property: 'amount', math_hogql: 'sum(properties.amount)' },
  { math: 'avg', math_property: 'age', math_property_type: 'person_properties' },
  ...STATISTICS.slice(1).map((math) => ({ math: `${math}_count_per_actor` })),
  { math: 'max_count_per_actor', math_group_type_index: 0 },
];

const asSent = ({ browser, isExpression, ...rest }: NaiveSeries): object => ({
  kind: 'EventsNode',
  ...rest,
  ...(browser === undefined
    ? {}
    : {
        properties: [
          isExpression ? { type: 'hogql', key: `properties.$browser = '${browser}'` } : { key: '$browser', value: [browser] },
        ],
      }),
});

const series = fc
  .record({
    event: fc.constantFrom(null, '$pageview', 'bought'),
    browser: fc.constantFrom(undefined, undefined, 'Chrome'),
    isExpression: fc.boolean(),
    math: fc.constantFrom(...MATHS),
  })
  .map(
    ({ event, browser, isExpression, math }): NaiveSeries => ({ event, ...(browser ? { browser, isExpression } : {}), ...math }),
  );

const queries = fc.record({
  zone: fc.constantFrom(...ZONES),
  interval: fc.constantFrom('hour', 'day', 'week', 'month'),
  from: fc.integer({ min: 0, max: 30 }),
  length: fc.integer({ min: 0, max: 12 }),
  series: fc.array(series, { minLength: 1, maxLength: 3 }),
  cumulative: fc.boolean(),
});

const dateOf = (days: number): string => new Date(Date.UTC(2024, 2, 8) + days * DAY).toISOString().slice(0, 10);

/** When a local day begins: found by trying, a quarter of an hour at a time. */
function midnight(date: string, zone: string): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  const utc = Date.parse(`${date}T00:00:00Z`);
  for (let at = utc - 15 * 3_600_000; ; at += 900_000) if (format.format(at) >= date) return at;
}

const close = (actual: readonly number[], expected: readonly number[]): void => {
  expect(actual).toHaveLength(expected.length);
  for (const [index, one] of actual.entries()) expect(one).toBeCloseTo(expected[index] ?? Number.NaN, 6);
};

describe('results equal a reference computation over the rows', () => {
  test('several series, in any zone and interval', async () => {
    await fc.assert(
      fc.asyncProperty(queries, async ({ zone, interval, from, length, series, cumulative }) => {
        const dateRange = { date_from: dateOf(from), date_to: dateOf(from + length) };
        const trendsFilter = cumulative ? { display: 'ActionsLineGraphCumulative' } : {};
        const lines = await trends({ series: series.map(asSent), interval, dateRange, trendsFilter }, zone);
        const [low, high] = [midnight(dateOf(from), zone), midnight(dateOf(from + length + 1), zone)];
        const buckets = naiveTrendBuckets(low, high, interval, zone);
        for (const [index, one] of series.entries()) {
          close(lines[index]?.data ?? [], naiveNumbers(data, one, buckets, { interval, zone, cumulative }));
        }
      }),
      { ...runs(40), seed: 11 },
    );
  });

  test('minutes, also across a change of the clocks', async () => {
    const minutes = fc.record({
      zone: fc.constantFrom(...ZONES),
      from: fc.integer({ min: 0, max: 40 * 24 }),
      length: fc.integer({ min: 1, max: 150 }),
      series,
    });
    await fc.assert(
      fc.asyncProperty(minutes, async ({ zone, from, length, series: one }) => {
        const low = Date.UTC(2024, 2, 8) + from * 3_600_000;
        const high = low + length * 60_000;
        const dateRange = { date_from: new Date(low).toISOString(), date_to: new Date(high - 1).toISOString() };
        const [line] = await trends({ series: [asSent(one)], interval: 'minute', dateRange }, zone);
        const buckets = Array.from({ length }, (_, index) => ({ from: low + index * 60_000, to: low + (index + 1) * 60_000 }));
        close(line?.data ?? [], naiveNumbers(data, one, buckets, { interval: 'minute', zone, cumulative: false }));
      }),
      { ...runs(30), seed: 13 },
    );
  });

  const BREAKDOWNS: { fields: object; keys: (row: EventRow) => string[] }[] = [
    { fields: { breakdown: '$browser' }, keys: (row) => [textOf(row.properties['$browser']) ?? BREAKDOWN_NULL] },
    {
      fields: { breakdown: 'plan', breakdown_type: 'person' },
      keys: (row) => [textOf(data.personProperties(data.personOf(row))['plan']) ?? BREAKDOWN_NULL],
    },
    {
      fields: { breakdown: 'tier', breakdown_type: 'group', breakdown_group_type_index: 0 },
      keys: (row) => [textOf(data.groupProperties(0, row.group_0)['tier']) ?? BREAKDOWN_NULL],
    },
    {
      fields: { breakdown: '$current_url', breakdown_normalize_url: true },
      keys: (row) => [textOf(row.properties['$current_url'])?.replace(/[/?#]*$/, '') || BREAKDOWN_NULL],
    },
    {
      fields: { breakdowns: [{ property: '$browser' }, { property: 'country', type: 'person' }] },
      keys: (row) => [
        textOf(row.properties['$browser']) ?? BREAKDOWN_NULL,
        textOf(data.personProperties(data.personOf(row))['country']) ?? BREAKDOWN_NULL,
      ],
    },
  ];

  test('every kind of breakdown, with values beyond the limit as "Other"', async () => {
    const query = fc.record({
      one: series,
      breakdown: fc.constantFrom(...BREAKDOWNS),
      limit: fc.integer({ min: 1, max: 4 }),
      hideOther: fc.boolean(),
      zone: fc.constantFrom(...ZONES),
      isTotal: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ one, breakdown, limit, hideOther, zone, isTotal }) => {
        const breakdownFilter = { ...breakdown.fields, breakdown_limit: limit, breakdown_hide_other_aggregation: hideOther };
        const dateRange = { date_from: '2024-03-25', date_to: '2024-04-05' };
        const display = isTotal ? 'ActionsPie' : 'ActionsLineGraph';
        const lines = await trends({ series: [asSent(one)], breakdownFilter, dateRange, trendsFilter: { display } }, zone);
        const [low, high] = [midnight('2024-03-25', zone), midnight('2024-04-06', zone)];
        const buckets = isTotal ? [{ from: low, to: high }] : naiveBuckets(low, high, 'day', zone, 0);
        const keysOf = new Map(data.events.map((row) => [row, JSON.stringify(breakdown.keys(row))]));
        const numbers = (fits: (keys: string) => boolean, of = one) =>
          buckets.map((bucket) => naiveNumber(data, of, bucket, zone, (row) => fits(keysOf.get(row) ?? '')));
        const isThere = ({ keys, data }: { keys: string; data: number[] }) =>
          data.some((number) => number !== 0) ||
          numbers((own) => own === keys, { ...one, math: 'total' }).some((count) => count > 0);
        // a value that no event has is not one with the number 0, which may be more than those of others
        const every = [...new Set(keysOf.values())]
          .map((keys) => ({ keys, data: numbers((own) => own === keys) }))
          .filter(isThere);
        const sums = new Map(every.map(({ keys, data }) => [keys, data.reduce((sum, value) => sum + value, 0)]));
        const shown = lines.map((line) => JSON.stringify([line.breakdown_value].flat()));
        const top = shown.filter((keys) => !keys.includes(BREAKDOWN_OTHER));
        // of equal sums any may be shown, and those without events may be left out
        const least = Math.min(...top.map((keys) => sums.get(keys) ?? 0));
        for (const { keys } of every) {
          if (!top.includes(keys) && top.length === limit) expect(sums.get(keys) ?? 0).toBeLessThanOrEqual(least + 1e-6);
          if (!top.includes(keys) && top.length < limit) expect(sums.get(keys)).toBe(0);
        }
        expect(shown.length - top.length).toBeLessThanOrEqual(hideOther ? 0 : 1);
        for (const [index, keys] of shown.entries()) {
          const isOther = keys.includes(BREAKDOWN_OTHER);
          const expected = isOther ? numbers((own) => !top.includes(own)) : numbers((own) => own === keys);
          close(isTotal ? [lines[index]?.aggregated_value ?? Number.NaN] : (lines[index]?.data ?? []), expected);
        }
      }),
      { ...runs(40), seed: 12 },
    );
  });
});
