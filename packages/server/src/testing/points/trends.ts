import fc from 'fast-check';
import type { TrendsSeries } from '../../analytics/kinds/trends/line.js';
import type { Point, PointsOf } from './compare-points.js';

/* Random trends, and the people behind each of their numbers. */

/** What the number of a point is of the counts of events of those behind it; of other maths how many these are. */
const NUMBERS: Readonly<Record<string, (counts: readonly number[]) => number>> = {
  total: (counts) => counts.reduce((sum, one) => sum + one, 0),
  max_count_per_actor: (counts) => Math.max(0, ...counts),
};

const MATHS: Readonly<Record<string, object>> = {
  dau: {},
  weekly_active: {},
  monthly_active: {},
  first_time_for_user: {},
  first_matching_event_for_user: { properties: [{ key: 'plan', value: ['free'] }] },
  unique_group: { math_group_type_index: 1 },
  total: {},
  max_count_per_actor: {},
};

const breakdown = fc.record({
  breakdown: fc.constant('plan'),
  breakdown_limit: fc.integer({ min: 1, max: 3 }),
  breakdown_hide_other_aggregation: fc.boolean(),
});

export const trends: fc.Arbitrary<PointsOf> = fc
  .record({
    math: fc.constantFrom(...Object.keys(MATHS)),
    event: fc.constantFrom('a', 'b', null),
    interval: fc.constantFrom('hour', 'day', 'day', 'week', 'month'),
    isTotal: fc.boolean(),
    breakdownFilter: fc.option(breakdown),
    isCompared: fc.boolean(),
  })
  .map(({ math, event, interval, isTotal, breakdownFilter, isCompared }) => ({
    query: {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event, math, ...MATHS[math] }],
      interval,
      ...(isTotal ? { trendsFilter: { display: 'ActionsPie' } } : {}),
      ...(breakdownFilter ? { breakdownFilter } : {}),
      ...(isCompared ? { compareFilter: { compare: true } } : {}),
    },
    points: (source: object, results: readonly TrendsSeries[]): Point[] =>
      results.flatMap(({ data, days, aggregated_value: whole, breakdown_value, compare_label }) => {
        const rest = {
          ...(breakdownFilter ? { breakdown: breakdown_value } : {}),
          ...(isCompared ? { compare: compare_label } : {}),
        };
        const point = (number: number, fields: object): Point => ({
          source: { kind: 'InsightActorsQuery', source, ...fields, ...rest },
          number,
          ...(NUMBERS[math] ? { numberOf: NUMBERS[math] } : {}),
        });
        return whole === undefined ? data.map((number, at) => point(number, { day: days[at] ?? '' })) : [point(whole, {})];
      }),
  }));
