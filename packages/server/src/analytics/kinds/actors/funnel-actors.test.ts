import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { HISTORY_START, histories, putMerges, putRows, rowsOf } from '../../../testing/histories.js';
import { runs } from '../../../testing/runs.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { ConversionTrend } from '../funnels/conversion-trends.js';
import type { FunnelStep } from '../funnels/steps.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

const NOW = HISTORY_START + 11 * 86_400_000;

const queries = fc.record({
  steps: fc.constantFrom(['a', 'b'], ['a', 'b', 'c'], ['a', 'a', 'b'], ['b', 'a', 'c', 'd']),
  funnelOrderType: fc.constantFrom('ordered', 'strict', 'unordered'),
  funnelWindowInterval: fc.constantFrom(2, 30, 200),
  breakdownAttributionType: fc.constantFrom('first_touch', 'last_touch', 'all_events', 'step'),
  attributed: fc.nat(1),
  breakdown: fc.constantFrom(null, { breakdown: 'plan' }, { breakdown: ['plan', 'path'] }),
  limit: fc.constantFrom(1, 2, 25),
  groups: fc.boolean(),
  isTrend: fc.boolean(),
  interval: fc.constantFrom('day', 'week', 'month'),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
});
type AnyQuery = typeof queries extends fc.Arbitrary<infer T> ? T : never;

const queryOf = ({ steps, breakdown, limit, groups, isTrend, interval, attributed, ...filter }: AnyQuery) => ({
  kind: 'FunnelsQuery',
  series: steps.map((event) => ({ kind: 'EventsNode', event })),
  dateRange: { date_from: '2024-03-30', date_to: '2024-04-08' },
  interval,
  ...(groups ? { aggregation_group_type_index: 1 } : {}),
  ...(breakdown ? { breakdownFilter: { ...breakdown, breakdown_limit: limit } } : {}),
  funnelsFilter: {
    funnelOrderType: filter.funnelOrderType,
    funnelWindowInterval: filter.funnelWindowInterval,
    funnelWindowIntervalUnit: 'hour',
    breakdownAttributionType: filter.breakdownAttributionType,
    ...(filter.breakdownAttributionType === 'step' ? { breakdownAttributionValue: attributed } : {}),
    funnelVizType: isTrend ? 'trends' : 'steps',
  },
});

let projectId = 0;
const run = async (query: object, timezone: string) =>
  (await runQuery(events.store, validate(querySchema, query), { projectId, timezone, now: NOW })).results;

/** How many are behind a point, each once. */
async function behind(query: object, point: object, timezone: string): Promise<number> {
  const source = { kind: 'FunnelsActorsQuery', source: query, ...point };
  const rows = (await run({ kind: 'ActorsQuery', select: ['id'], source, limit: 1000 }, timezone)) as unknown as [string][];
  expect(new Set(rows.map(([id]) => id)).size).toBe(rows.length);
  return rows.length;
}

const DAYS = ({ days }: ConversionTrend) => days.filter((_, index) => index % 3 === 0);

test('each step and interval lists as many persons as it counts: orders, attributions, values and "Other"', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.array(queries, { minLength: 3, maxLength: 3 }), async (history, all) => {
      projectId++;
      await putRows(events, rowsOf(history, projectId));
      for (const one of all) {
        const query = queryOf(one);
        const at = JSON.stringify(query);
        // who is followed by each value for itself may be behind "Other" with several values, and counts once there
        const isCertain = one.breakdownAttributionType !== 'all_events';
        const isOther = (value: unknown) => [value].flat().every((text) => text === 'Other');
        if (one.isTrend) {
          for (const line of (await run(query, one.timezone)) as ConversionTrend[]) {
            const value = line.breakdown_value;
            if (!isCertain && isOther(value)) continue;
            for (const day of DAYS(line)) {
              const point = { funnelStepBreakdown: value, funnelTrendsEntrancePeriodStart: day };
              const index = line.days.indexOf(day);
              const [began = 0, converted = 0] = [line.reached_from_step_count[index], line.reached_to_step_count[index]];
              expect(await behind(query, point, one.timezone), at).toBe(converted);
              const dropped = await behind(query, { ...point, funnelTrendsDropOff: true }, one.timezone);
              expect(dropped, at).toBe(began - converted);
            }
          }
          continue;
        }
        const tables = (await run(query, one.timezone)) as FunnelStep[][] | FunnelStep[];
        for (const table of (one.breakdown ? tables : [tables]) as FunnelStep[][]) {
          for (const [index, { count, breakdown_value: value }] of table.entries()) {
            if (!isCertain && isOther(value)) continue;
            const point = { funnelStepBreakdown: value };
            const left = (table[index - 1]?.count ?? 0) - count;
            expect(await behind(query, { ...point, funnelStep: index + 1 }, one.timezone), at).toBe(count);
            if (index > 0) expect(await behind(query, { ...point, funnelStep: -index - 1 }, one.timezone), at).toBe(left);
            const after = table[index + 1]?.count ?? 0;
            expect(await behind(query, { ...point, funnelCustomSteps: [index + 1] }, one.timezone), at).toBe(count - after);
          }
        }
      }
    }),
    { ...runs(3), endOnFailure: true },
  );
});

test('a value named "Other" is selected by that name while it is displayed, and is part of the rest otherwise', async () => {
  projectId++;
  const history = ['Other', 'Other', 'x', 'y', 'y', 'y'].map((plan, person) => ({
    event: 'a',
    person,
    time: 86_400_000,
    properties: { plan },
    group: `g${person}`,
  }));
  await putRows(events, rowsOf(history, projectId));
  const query = {
    kind: 'FunnelsQuery',
    series: [{ event: 'a' }, { event: 'b' }].map((node) => ({ kind: 'EventsNode', ...node })),
    dateRange: { date_from: '2024-03-29', date_to: '2024-04-08' },
    aggregation_group_type_index: 1,
  };
  const others = (limit: number, value = 'Other') =>
    behind(
      { ...query, breakdownFilter: { breakdown: 'plan', breakdown_limit: limit } },
      { funnelStep: 1, funnelStepBreakdown: [value] },
      'UTC',
    );
  expect([await others(1), await others(2), await others(3)]).toEqual([3, 2, 2]);
  expect([await others(1, '$$_posthog_breakdown_other_$$'), await others(2, '$$_posthog_breakdown_other_$$')]).toEqual([3, 1]);
});

test('customSteps replace one step, with several at once', async () => {
  projectId++;
  const did = ['a', 'ab', 'abc', 'abc'].flatMap((events, person) =>
    [...events].map((event, index) => ({ event, person: person + 3, time: 86_400_000 + index, properties: {}, group: '' })),
  );
  await putRows(events, rowsOf(did, projectId));
  const series = ['a', 'b', 'c'].map((event) => ({ kind: 'EventsNode', event }));
  const query = { kind: 'FunnelsQuery', series, dateRange: { date_from: '2024-03-29' } };
  const count = (point: object) => behind(query, point, 'UTC');
  expect([await count({ funnelCustomSteps: [1, 2] }), await count({ funnelCustomSteps: [1, 3] })]).toEqual([2, 3]);
  expect(await count({ funnelCustomSteps: [1], funnelStep: 3 })).toBe(1);
});

test('sessions are listed by id, and cannot be searched or ordered by properties of persons', async () => {
  projectId++;
  const visit = (person: number, session: string, events: string) =>
    [...events].map((event, index) => ({
      event,
      person,
      time: 86_400_000 + index,
      properties: { $session_id: session },
      group: '',
    }));
  await putRows(events, rowsOf([...visit(3, 's1', 'ab'), ...visit(3, 's2', 'a'), ...visit(4, '', 'ab')], projectId));
  const series = ['a', 'b'].map((event) => ({ kind: 'EventsNode', event }));
  const funnelsFilter = { funnelAggregateByHogQL: 'properties.$session_id' };
  const query = { kind: 'FunnelsQuery', series, dateRange: { date_from: '2024-03-29' }, funnelsFilter };
  const source = { kind: 'FunnelsActorsQuery', source: query, funnelStep: 1 };
  const select = ['actor', 'id', 'event_count', 'created_at', 'properties.email'];
  expect(await run({ kind: 'ActorsQuery', select, source }, 'UTC')).toEqual([
    [{ type: 'session', id: 's1' }, 's1', 2, null, null],
    [{ type: 'session', id: 's2' }, 's2', 1, null, null],
  ]);
  for (const rest of [{ search: 's' }, { orderBy: ['created_at'] }, { properties: [{ key: 'email', value: ['a'] }] }]) {
    const refused = expect.objectContaining({ body: expect.objectContaining({ attr: 'query__source' }) });
    await expect(run({ kind: 'ActorsQuery', select: ['id'], source, ...rest }, 'UTC')).rejects.toThrow(refused);
  }
  const both = { ...query, aggregation_group_type_index: 0 };
  const attr = 'funnelsFilter__funnelAggregateByHogQL';
  expect(() => validate(querySchema, both)).toThrow(expect.objectContaining({ body: expect.objectContaining({ attr }) }));
});
