import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { histories, putMerges, putRows, rowsOf } from '../../../testing/histories.js';
import { trendsLines } from '../../../testing/trends-lines.js';
import { querySchema } from '../../query-schema.js';
import { runQuery } from '../../run.js';
import type { TrendsSeries } from '../trends/line.js';

/* The people behind a point are as many as the point says, whatever is counted. */

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

let projectId = 0;

async function run(timezone: string, query: object) {
  return runQuery(events.store, validate(querySchema, query), { projectId, timezone, now: Date.UTC(2024, 3, 9, 5) });
}

/** What the number of a point is of the counts of events of those behind it. */
const NUMBERS: Readonly<Record<string, (counts: readonly number[]) => number>> = {
  total: (counts) => counts.reduce((sum, one) => sum + one, 0),
  max_count_per_actor: (counts) => Math.max(0, ...counts),
};
const howMany = (counts: readonly number[]): number => counts.length;

const MATHS: Record<string, object> = {
  dau: {},
  weekly_active: {},
  monthly_active: {},
  first_time_for_user: {},
  first_matching_event_for_user: { properties: [{ key: 'plan', value: ['free'] }] },
  unique_group: { math_group_type_index: 1 },
  total: {},
  max_count_per_actor: {},
};

const asked = fc.record({
  math: fc.constantFrom(...Object.keys(MATHS)),
  event: fc.constantFrom('a', 'b', null),
  interval: fc.constantFrom('hour', 'day', 'day', 'week', 'month'),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
  isTotal: fc.boolean(),
  isBroken: fc.boolean(),
  isOtherHidden: fc.boolean(),
  shown: fc.integer({ min: 1, max: 3 }),
  isCompared: fc.boolean(),
  days: fc.integer({ min: 1, max: 9 }),
  points: fc.array(fc.record({ line: fc.nat(20), at: fc.nat(500) }), { minLength: 6, maxLength: 6 }),
});

test('behind each point of trends', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(histories, fc.array(asked, { minLength: 5, maxLength: 5 }), async (history, questions) => {
      projectId++;
      await putRows(events, rowsOf(history, projectId));
      for (const {
        math,
        event,
        interval,
        timezone,
        isTotal,
        isBroken,
        isOtherHidden,
        shown,
        isCompared,
        days,
        points,
      } of questions) {
        const source = {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event, math, ...MATHS[math] }],
          dateRange: { date_from: '2024-03-31', date_to: `2024-04-0${days}` },
          interval,
          ...(isTotal ? { trendsFilter: { display: 'ActionsPie' } } : {}),
          ...(isBroken
            ? { breakdownFilter: { breakdown: 'plan', breakdown_limit: shown, breakdown_hide_other_aggregation: isOtherHidden } }
            : {}),
          ...(isCompared ? { compareFilter: { compare: true } } : {}),
        };
        const lines = trendsLines(await run(timezone, source));
        // few points of many have any people: half of those looked at should
        const full = lines.flatMap((line) => pointsOf(line).flatMap((point) => (point.number > 0 ? [{ line, ...point }] : [])));
        for (const [index, { line, at }] of points.entries()) {
          const one = lines[line % Math.max(lines.length, 1)];
          const any = one && pointsOf(one)[at % Math.max(pointsOf(one).length, 1)];
          const point = index % 2 === 0 ? full[at % Math.max(full.length, 1)] : one && any && { line: one, ...any };
          if (!point) continue;
          const behind = {
            kind: 'InsightActorsQuery',
            source,
            ...(point.day === null ? {} : { day: point.day }),
            ...(isBroken ? { breakdown: point.line.breakdown_value } : {}),
            ...(isCompared ? { compare: point.line.compare_label } : {}),
          };
          const { results } = await run(timezone, { kind: 'ActorsQuery', select: ['event_count'], source: behind, limit: 1000 });
          const counts = (results as unknown as [number][]).map(([count]) => count);
          expect((NUMBERS[math] ?? howMany)(counts), JSON.stringify(behind)).toBe(point.number);
          compared++;
        }
      }
    }),
    { numRuns: 12, seed: 19, endOnFailure: true },
  );
  expect(compared).toBeGreaterThan(200);
});

/** The numbers of a line, each with the interval that it is of; null: the whole time. */
const pointsOf = ({ data, days, aggregated_value: whole }: TrendsSeries): { day: string | null; number: number }[] =>
  whole === undefined ? data.map((number, index) => ({ day: days[index] ?? '', number })) : [{ day: null, number: whole }];
