import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import type { EventRow } from '../../../ports/events.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { byActor, HISTORY_START, histories, personOf, putMerges, putRows, rowsOf } from '../../../testing/histories.js';
import { bestRun, naiveRuns } from '../../../testing/naive-funnel.js';
import { runs } from '../../../testing/runs.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { FunnelStep } from './steps.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

const HOUR = 3_600_000;
const [FROM, TO] = [HISTORY_START + 36 * HOUR, HISTORY_START + 9 * 24 * HOUR];

const queries = fc.record({
  steps: fc.array(fc.record({ event: fc.constantFrom('a', 'b', 'c', null), isFirst: fc.boolean(), isPro: fc.boolean() }), {
    minLength: 2,
    maxLength: 3,
  }),
  order: fc.constantFrom('ordered' as const, 'strict' as const, 'unordered' as const),
  hours: fc.constantFrom(5, 72),
  groups: fc.boolean(),
});

const isPro = (row: EventRow) => row.properties['plan'] === 'pro';
const PRO = [{ key: 'plan', type: 'event', operator: 'exact', value: ['pro'] }];
const before = (one: EventRow, other: EventRow) => one.timestamp - other.timestamp || (one.uuid < other.uuid ? -1 : 1);

let projectId = 0;

test('a first-time step is the first event of its name that a person or group ever had, if the filters match it', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.array(queries, { minLength: 4, maxLength: 4 }), async (history, all) => {
      const rows = rowsOf(history, ++projectId);
      await putRows(events, rows);
      for (const { steps: drawn, order, hours, groups } of all) {
        // which step an event takes that fits several is the engine's choice where they have no order
        const steps = order === 'unordered' ? drawn.map((one, index) => ({ ...one, event: 'abc'[index] ?? 'a' })) : drawn;
        const query = {
          kind: 'FunnelsQuery',
          series: steps.map((step) => ({
            kind: 'EventsNode',
            event: step.event,
            ...(step.isFirst ? { math: 'first_time_for_user' } : {}),
            ...(step.isPro ? { properties: PRO } : {}),
          })),
          dateRange: { date_from: new Date(FROM).toISOString(), date_to: new Date(TO).toISOString(), explicitDate: true },
          ...(groups ? { aggregation_group_type_index: 1 } : {}),
          funnelsFilter: { funnelOrderType: order, funnelWindowInterval: hours, funnelWindowIntervalUnit: 'hour' },
        };
        const actors = byActor(rows.toSorted(before), groups ? (row) => row.group_1 : personOf);
        const runs = [...actors.values()].map((own) => {
          const is = steps.map((step) => {
            const named = (row: EventRow) => step.event === null || row.event === step.event;
            const first = own.find(named);
            return (row: EventRow) => named(row) && (!step.isPro || isPro(row)) && (!step.isFirst || row === first);
          });
          const within = own.filter(({ timestamp }) => timestamp >= FROM && timestamp < TO);
          return bestRun(naiveRuns(within, { steps: is, exclusions: [], order, window: hours * HOUR }))?.length ?? 0;
        });
        const context = { projectId, timezone: 'UTC', now: TO };
        const { results } = await runQuery(events.store, validate(querySchema, query), context);
        const counts = (results as FunnelStep[]).map(({ count }) => count);
        expect(counts, JSON.stringify(query)).toEqual(steps.map((_, index) => runs.filter((length) => length > index).length));
      }
    }),
    { ...runs(5), endOnFailure: true },
  );
});

const step = (event: string, rest: object = {}) => ({ kind: 'EventsNode', event, ...rest });

test.each([
  [{ series: [step('a', { math: 'unique_group', math_group_type_index: 1 }), step('b')] }, 'series__0__math'],
  [
    {
      series: [step('a'), step('b', { math: 'unique_group', math_group_type_index: 1 })],
      aggregation_group_type_index: 0,
    },
    'series__1__math',
  ],
  [
    {
      series: [step('a'), step('b')],
      funnelsFilter: { exclusions: [step('c', { math: 'first_time_for_user', funnelFromStep: 0, funnelToStep: 1 })] },
    },
    'funnelsFilter__exclusions__0__math',
  ],
])('combinations that a funnel cannot compute are refused: %j', (query, attr) => {
  const refused = expect.objectContaining({ body: expect.objectContaining({ attr }) });
  expect(() => validate(querySchema, { kind: 'FunnelsQuery', ...query })).toThrow(refused);
});
