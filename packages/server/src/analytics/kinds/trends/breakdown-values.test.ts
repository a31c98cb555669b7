import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import type { EventRow } from '../../../ports/events.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { keysText, naiveBreakdown } from '../../../testing/naive-breakdowns.js';
import { type NaiveSeries, naiveTrendBuckets, textOf } from '../../../testing/naive-trends.js';
import { runs } from '../../../testing/runs.js';
import { putSeeded, seededData } from '../../../testing/seeded-events.js';
import { trendsLines } from '../../../testing/trends-lines.js';
import { BREAKDOWN_NULL } from '../../breakdown.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { TrendsSeries } from './line.js';

/* Which values of a breakdown are shown. */

const data = seededData({ seed: 9, events: 700 });
const NOW = Date.UTC(2024, 3, 20, 15);

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putSeeded(events, data);
});
afterAll(() => events.close());

async function trends(query: object, projectId = 1): Promise<TrendsSeries[]> {
  const parsed = validate(querySchema, { kind: 'TrendsQuery', ...query });
  return trendsLines(await runQuery(events.store, parsed, { projectId, timezone: 'UTC', now: NOW }));
}

/** Maths whose sums have no rounding in them, so that ties are ties. */
const MATHS: Omit<NaiveSeries, 'event'>[] = [
  ...['total', 'dau', 'unique_session', 'first_time_for_user', 'first_matching_event_for_user', 'weekly_active'].map((math) => ({
    math,
  })),
  { math: 'unique_group', math_group_type_index: 0 },
  { math: 'sum', math_property: 'age', math_property_type: 'person_properties' },
  { math: 'max_count_per_actor' },
  { math: 'sum', math_property: '$session_duration' },
];

const series = fc
  .record({ event: fc.constantFrom(null, '$pageview', 'bought', 'signed up'), math: fc.constantFrom(...MATHS) })
  .map(({ event, math }): NaiveSeries => ({ event, ...math }));

const BREAKDOWNS: { fields: object; keysOf: (row: EventRow) => string[] }[] = [
  {
    fields: { breakdown: 'properties.$current_url', breakdown_type: 'hogql' },
    keysOf: (row) => [textOf(row.properties['$current_url']) ?? BREAKDOWN_NULL],
  },
  { fields: { breakdown: '$current_url' }, keysOf: (row) => [textOf(row.properties['$current_url']) ?? BREAKDOWN_NULL] },
  {
    fields: { breakdowns: [{ property: '$browser' }, { property: 'plan', type: 'person' }] },
    keysOf: (row) => [
      textOf(row.properties['$browser']) ?? BREAKDOWN_NULL,
      textOf(data.personProperties(data.personOf(row))['plan']) ?? BREAKDOWN_NULL,
    ],
  },
  // few events have a value, so that there are many ties
  { fields: { breakdown: '$session_id' }, keysOf: (row) => [textOf(row.properties['$session_id']) ?? BREAKDOWN_NULL] },
];

const DAY = 86_400_000;
const [FROM, TO] = [Date.UTC(2024, 2, 24), Date.UTC(2024, 2, 27)];
const SIGNS = ['A', 'B', 'C'];

/** By weeks who was active in the week itself counts. */
const inItsWeek = (one: NaiveSeries): NaiveSeries => (one.math === 'weekly_active' ? { ...one, math: 'dau' } : one);

/** Lines of nothing but zeros may be left out. */
const linesOf = (lines: readonly TrendsSeries[]) =>
  new Map(
    lines.flatMap((line) => {
      const numbers = line.aggregated_value === undefined ? line.data : [line.aggregated_value];
      return numbers.every((one) => one === 0) ? [] : [[keysText([line.breakdown_value].flat().map(String)), numbers] as const];
    }),
  );

describe('displayed breakdown values have the largest numbers', () => {
  const query = fc.record({
    series: fc.array(series, { minLength: 1, maxLength: 3 }),
    breakdown: fc.constantFrom(...BREAKDOWNS),
    limit: fc.integer({ min: 1, max: 6 }),
    hideOther: fc.boolean(),
    interval: fc.constantFrom('day', 'week', 'month'),
    isTotal: fc.boolean(),
    compares: fc.boolean(),
  });
  const asSent = ({
    series,
    breakdown,
    limit,
    hideOther,
    interval,
    compares,
  }: typeof query extends fc.Arbitrary<infer T> ? T : never) => ({
    series: series.map((one) => ({ kind: 'EventsNode', ...one })),
    interval,
    dateRange: { date_from: '2024-03-24', date_to: '2024-03-26', explicitDate: false },
    breakdownFilter: { ...breakdown.fields, breakdown_limit: limit, breakdown_hide_other_aggregation: hideOther },
    compareFilter: { compare: compares },
  });

  test('for each series and period, and for all series of a formula', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.boolean(), async (one, isFormula) => {
        const { series, breakdown, limit, hideOther, interval, isTotal, compares } = one;
        const formula = SIGNS.slice(0, series.length).join(' + ');
        const display = isTotal ? 'ActionsTable' : 'ActionsLineGraph';
        const lines = await trends({ ...asSent(one), trendsFilter: { display, ...(isFormula ? { formula } : {}) } });
        for (const back of compares ? [0, 3 * DAY] : [0]) {
          const [from, to] = [FROM - back, TO - back];
          const buckets = isTotal ? [{ from, to }] : naiveTrendBuckets(from, to, interval, 'UTC');
          const naive = (own: NaiveSeries[]) =>
            naiveBreakdown(
              data,
              isTotal || interval !== 'week' ? own : own.map(inItsWeek),
              { ...breakdown, limit, hideOther },
              buckets,
              'UTC',
            );
          const expected = isFormula ? [sumOf(naive(series))] : series.flatMap((own) => naive([own]));
          for (const [order, numbers] of expected.entries()) {
            const label = back === 0 ? 'current' : 'previous';
            const own = lines.filter((line) => line.order === order && (!compares || line.compare_label === label));
            expect(linesOf(own)).toEqual(numbers);
          }
        }
      }),
      { ...runs(30), seed: 21 },
    );
  });
});

/** The sums of the numbers of several series for each value. */
function sumOf(series: readonly ReadonlyMap<string, number[]>[]): Map<string, number[]> {
  const sums = new Map<string, number[]>();
  for (const [keys, numbers] of series.flatMap((lines) => [...lines])) {
    sums.set(
      keys,
      numbers.map((number, index) => number + (sums.get(keys)?.[index] ?? 0)),
    );
  }
  return sums;
}
