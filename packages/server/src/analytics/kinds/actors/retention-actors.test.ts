import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { HISTORY_START, histories, people, putMerges, putRows, rowsOf } from '../../../testing/histories.js';
import { runs } from '../../../testing/runs.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { RetentionRow } from '../retention/retention.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

const DAY = 86_400_000;
const NOW = Date.UTC(2024, 3, 9, 5);

const queries = fc.record({
  period: fc.constantFrom('Day', 'Week', 'Month'),
  retentionType: fc.constantFrom('retention_first_time', 'retention_recurring', 'retention_first_ever_occurrence'),
  timeWindowMode: fc.constantFrom('strict_calendar_dates', '24_hour_windows'),
  minimumOccurrences: fc.constantFrom(1, 2),
  cumulative: fc.boolean(),
  brackets: fc.constantFrom([], [2, 1], [1, 3]),
  breakdown: fc.constantFrom(null, { breakdown: 'plan' }, { breakdowns: [{ property: 'plan' }, { property: 'path' }] }),
  limit: fc.constantFrom(1, 2, 25),
  groups: fc.boolean(),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
});
type AnyQuery = typeof queries extends fc.Arbitrary<infer T> ? T : never;

const queryOf = ({ brackets, breakdown, limit, groups, timezone: _, ...filter }: AnyQuery) => ({
  kind: 'RetentionQuery',
  dateRange: { date_from: '2024-03-30', date_to: '2024-04-03' },
  ...(groups ? { aggregation_group_type_index: 1 } : {}),
  ...(breakdown ? { breakdownFilter: { ...breakdown, breakdown_limit: limit } } : {}),
  retentionFilter: {
    ...filter,
    targetEntity: { id: 'a', type: 'events' },
    returningEntity: { id: 'b', type: 'events' },
    retentionCustomBrackets: brackets,
    totalIntervals: 4,
  },
});

let projectId = 0;
const run = async (query: object, timezone = 'UTC') =>
  (await runQuery(events.store, validate(querySchema, query), { projectId, timezone, now: NOW })).results;
const behind = async (query: object, point: object, select: string[], timezone = 'UTC') => {
  const source = { kind: 'InsightActorsQuery', source: query, ...point };
  return (await run({ kind: 'ActorsQuery', select, source, limit: 1000 }, timezone)) as unknown as unknown[][];
};

test('each number of the table lists as many persons: periods, brackets, values and the rest', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.array(queries, { minLength: 1, maxLength: 1 }), async (history, all) => {
      projectId++;
      await putRows(events, rowsOf(history, projectId));
      for (const one of all) {
        const query = queryOf(one);
        const table = (await run(query, one.timezone)) as RetentionRow[];
        for (const { values, label, breakdown_value: breakdown } of table) {
          const interval = Number(label.split(' ')[1]);
          const names = values.map((_, index) => `${one.period.toLowerCase()}_${index}`);
          const point = { interval, ...(breakdown === undefined ? {} : { breakdown }) };
          const rows = await behind(query, point, ['appearances', ...names], one.timezone);
          expect(rows.length, JSON.stringify(query)).toBe(values[0]?.count);
          for (const [appearances, ...came] of rows) {
            expect(came.flatMap((is, index) => (is ? [index] : []))).toEqual(appearances);
          }
          for (const [later, { count }] of values.entries()) {
            const found = await behind(query, { ...point, later }, ['id'], one.timezone);
            expect(found.length, JSON.stringify([later, query])).toBe(count);
            // who came only after the last column has no appearance, but counts where later ones do
            if (!one.cumulative) expect(rows.filter(([own]) => (own as number[]).includes(later))).toHaveLength(count);
          }
        }
      }
    }),
    { ...runs(4), endOnFailure: true },
  );
});

test('persons have the columns of their row, the most frequent first', async () => {
  projectId++;
  const visits = [
    [3, [0, 1, 4]],
    [4, [0]],
    [5, [0, 2, 3, 4]],
  ] as const;
  const rows = visits.flatMap(([person, days]) =>
    days.map((day) => ({ event: 'a', person, time: day * DAY, properties: {}, group: '' })),
  );
  await putRows(events, rowsOf(rows, projectId));
  const first = new Date(HISTORY_START).toISOString().slice(0, 10);
  const entity = { id: 'a', type: 'events' };
  const retentionFilter = { targetEntity: entity, returningEntity: entity, totalIntervals: 5 };
  const query = { kind: 'RetentionQuery', dateRange: { date_from: first, date_to: '2024-04-02' }, retentionFilter };
  const select = ['id', 'appearances', 'day_0', 'day_1', 'day_4', 'event_count'];
  expect(await behind(query, { interval: 0 }, select)).toEqual([
    [people[5], [0, 2, 3, 4], 1, 0, 1, 4],
    [people[3], [0, 1, 4], 1, 1, 1, 3],
    [people[4], [0], 1, 0, 0, 1],
  ]);
  const bracketed = { ...query, retentionFilter: { ...retentionFilter, retentionCustomBrackets: [1, 3] } };
  expect(await behind(bracketed, { interval: 0 }, ['appearances', 'day_2', 'properties.x'])).toEqual([
    [[0, 1, 2], 1, null],
    [[0, 2], 1, null],
    [[0], 0, null],
  ]);
});

const retention = { kind: 'RetentionQuery', retentionFilter: { totalIntervals: 3 } };
const funnel = { kind: 'FunnelsQuery', series: [{ kind: 'EventsNode' }, { kind: 'EventsNode' }] };

test.each([
  [{ source: retention }, { select: ['appearances', 'day_3'] }, 'select__1'],
  [{ source: retention }, { select: ['week_0'] }, 'select__0'],
  [{ source: retention }, { orderBy: ['appearances'] }, 'orderBy__0'],
  [{ source: funnel, funnelStep: 1 }, { select: ['day_0'] }, 'select__0'],
  [{ source: funnel, funnelStep: 1 }, { select: ['id', 'appearances'] }, 'select__1'],
])('columns that the source does not have are refused: %j', (source, rest, attr) => {
  const query = { kind: 'ActorsQuery', source: { kind: 'InsightActorsQuery', ...source }, ...rest };
  expect(() => validate(querySchema, query)).toThrow(expect.objectContaining({ body: expect.objectContaining({ attr }) }));
});
