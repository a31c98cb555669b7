import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import type { EventRow } from '../../../ports/events.js';
import { eventRow, type TestEvents, testEvents } from '../../../testing/events.js';
import { byActor, histories, ordinalOf, personOf, putMerges, putRows, rowsOf } from '../../../testing/histories.js';
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
const FROM = Date.UTC(2024, 2, 30, 3);
const TO = Date.UTC(2024, 3, 7, 17);

const anyQuery = fc.record({
  interval: fc.constantFrom('hour' as const, 'day' as const, 'week' as const, 'month' as const),
  intervalCount: fc.constantFrom(1, 1, 2, 3, 30),
  event: fc.constantFrom('a', 'b', null),
  isPro: fc.boolean(),
  criteria: fc.option(fc.record({ operator: fc.constantFrom('gte', 'lte', 'exact'), value: fc.integer({ min: 1, max: 4 }) })),
  cumulative: fc.boolean(),
  groups: fc.boolean(),
  compare: fc.boolean(),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
});
type AnyQuery = typeof anyQuery extends fc.Arbitrary<infer T> ? T : never;

const queryOf = ({ interval, intervalCount, event, isPro, criteria, cumulative, groups, compare }: AnyQuery) => ({
  kind: 'StickinessQuery',
  interval,
  intervalCount,
  series: [
    { kind: 'EventsNode', event, ...(groups ? { math: 'unique_group', math_group_type_index: 1 } : { math: 'dau' }) },
    { kind: 'EventsNode', event: 'c' },
  ],
  dateRange: { date_from: new Date(FROM).toISOString(), date_to: new Date(TO).toISOString(), explicitDate: true },
  properties: isPro ? [{ key: 'plan', type: 'event', operator: 'exact', value: ['pro'] }] : [],
  stickinessFilter: {
    computedAs: cumulative ? 'cumulative' : 'non_cumulative',
    ...(criteria ? { stickinessCriteria: criteria } : {}),
  },
  ...(compare ? { compareFilter: { compare: true, compare_to: '-1d' } } : {}),
});

const MEETS: Record<string, (times: number, value: number) => boolean> = {
  gte: (times, value) => times >= value,
  lte: (times, value) => times <= value,
  exact: (times, value) => times === value,
};

function naive(rows: EventRow[], query: AnyQuery, event: string | null, groups: boolean, back: number): number[] {
  const [from, to] = [FROM - back, TO - back];
  const last = ordinalOf(to - 1, query.interval, query.timezone);
  // periods are counted back from the last one
  const ordinal = (instant: number) =>
    Math.floor((last - ordinalOf(instant, query.interval, query.timezone)) / query.intervalCount);
  const length = ordinal(from) + 1;
  const own = rows.filter(
    (row) =>
      row.timestamp >= from &&
      row.timestamp < to &&
      (event === null || row.event === event) &&
      (!query.isPro || row.properties['plan'] === 'pro'),
  );
  const numbers = [...byActor(own, groups ? (row) => row.group_1 : personOf).values()].map((list) => {
    const times = new Map<number, number>();
    for (const { timestamp } of list) times.set(ordinal(timestamp), (times.get(ordinal(timestamp)) ?? 0) + 1);
    const { operator, value } = query.criteria ?? { operator: 'gte', value: 1 };
    return [...times.values()].filter((count) => MEETS[operator]?.(count, value)).length;
  });
  return Array.from(
    { length },
    (_, index) => numbers.filter((number) => (query.cumulative ? number > index : number === index + 1)).length,
  );
}

let projectId = 0;
const DAY = 86_400_000;

test('numbers of active intervals equal a reference computation', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.array(anyQuery, { minLength: 6, maxLength: 6 }), async (history, queries) => {
      const rows = rowsOf(history, ++projectId);
      await putRows(events, rows);
      for (const query of queries) {
        const parsed = validate(querySchema, queryOf(query));
        const context = { projectId, timezone: query.timezone, now: NOW, hasDenseEvents: async () => projectId % 2 === 0 };
        const { results } = await runQuery(events.store, parsed, context);
        const data = (results as { data: number[] }[]).map((line) => line.data);
        const lines = (back: number) => [
          naive(rows, query, query.event, query.groups, back),
          naive(rows, query, 'c', false, back),
        ];
        // from the 31st of March on a day ago is another number of hours ago in Berlin
        const isPlain = query.timezone !== 'Europe/Berlin';
        const expected = [...lines(0), ...(query.compare ? lines(DAY) : [])];
        const compared = isPlain || !query.compare ? expected : expected.slice(0, 2);
        expect(data.slice(0, compared.length), JSON.stringify(query)).toEqual(compared);
        expect(data.length).toBe(expected.length);
      }
    }),
    { ...runs(8), endOnFailure: true },
  );
});

test.each([1, 64, 65, 256, 257])(
  'a person who is active twice in each of %i hours is active in as many intervals',
  async (hours) => {
    const HOUR = 3_600_000;
    const project_id = 50_000 + hours;
    const rows = Array.from({ length: hours * 2 }, (_, index) =>
      eventRow(project_id * 1000 + index, { project_id, event: 'a', timestamp: FROM + Math.floor(index / 2) * HOUR + index }),
    );
    await events.put('events', rows);
    const query = validate(querySchema, {
      kind: 'StickinessQuery',
      series: [{ kind: 'EventsNode', event: 'a' }],
      interval: 'hour',
      dateRange: {
        date_from: new Date(FROM).toISOString(),
        date_to: new Date(FROM + hours * HOUR).toISOString(),
        explicitDate: true,
      },
    });
    const { results } = await runQuery(events.store, query, { projectId: project_id, timezone: 'UTC', now: NOW });
    const data = Array.from({ length: hours }, (_, index) => (index === hours - 1 ? 1 : 0));
    expect(results).toEqual([expect.objectContaining({ count: 1, data })]);
  },
);

test('series have names, and their values are numbers of intervals', async () => {
  const query = validate(querySchema, {
    kind: 'StickinessQuery',
    series: [{ kind: 'EventsNode', event: 'a', custom_name: 'Came' }],
    dateRange: { date_from: '2024-04-01', date_to: '2024-04-02' },
  });
  const { results } = await runQuery(events.store, query, { projectId: 999, timezone: 'UTC', now: NOW });
  expect(results).toEqual([
    expect.objectContaining({ label: 'Came', count: 0, data: [0, 0], days: [1, 2], labels: ['1 day', '2 days'] }),
  ]);
  const byWeeks = validate(querySchema, {
    kind: 'StickinessQuery',
    series: [{ kind: 'EventsNode', event: 'a' }],
    dateRange: { date_from: '2024-04-01', date_to: '2024-04-08' },
    intervalCount: 7,
  });
  const { results: weeks } = await runQuery(events.store, byWeeks, { projectId: 999, timezone: 'UTC', now: NOW });
  expect(weeks).toEqual([expect.objectContaining({ days: [1, 2], labels: ['1 period of 7 days', '2 periods of 7 days'] })]);
});

test.each([
  [{ series: [] }, 'series'],
  [{ series: [{ kind: 'EventsNode', event: 'a', math: 'weekly_active' }] }, 'series__0__math'],
  [{ stickinessFilter: { computedAs: 'other' } }, 'stickinessFilter__computedAs'],
  [{ stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 0 } } }, 'stickinessFilter__stickinessCriteria__value'],
  [{ stickinessFilter: { stickinessCriteria: { operator: 'gt', value: 1 } } }, 'stickinessFilter__stickinessCriteria__operator'],
  [{ interval: 'year' }, 'interval'],
  [{ intervalCount: 0 }, 'intervalCount'],
  [{ intervalCount: 1.5 }, 'intervalCount'],
  [{ compareFilter: { compare: true, compare_to: 'then' } }, 'compareFilter__compare_to'],
])('%j is refused at %s', (given, attr) => {
  const refused = expect.objectContaining({ body: expect.objectContaining({ attr }) });
  const query = { kind: 'StickinessQuery', series: [{ kind: 'EventsNode', event: 'a' }], ...given };
  expect(() => validate(querySchema, query)).toThrow(refused);
});
