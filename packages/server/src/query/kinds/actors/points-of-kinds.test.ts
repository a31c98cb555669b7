import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { histories, putMerges, putRows, rowsOf } from '../../../testing/histories.js';
import { querySchema } from '../../query-schema.js';
import { runQuery } from '../../run.js';

/*
 * The people behind a point of a funnel, a lifecycle, stickiness or retention are as many as the point says. The value of an edge of
 * paths counts paths, not people: the paths of the people behind it (`event_count`) add up to it.
 */

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

/** A point of an answer: the source of the people behind it, and how many they, or their paths, must be. */
interface Point {
  source: object;
  number: number;
  countsPaths?: true;
}

const node = (event: string | null) => ({ kind: 'EventsNode', event });
const event = fc.constantFrom('a', 'b', 'c', null);
const base = fc.record({
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
  days: fc.integer({ min: 1, max: 9 }),
});
const rangeOf = (days: number) => ({ date_from: '2024-03-31', date_to: `2024-04-0${days}` });

const lifecycle = fc.record({ event, interval: fc.constantFrom('day', 'week', 'month') }).map(({ event, interval }) => ({
  query: { kind: 'LifecycleQuery', series: [node(event)], interval },
  points: (source: object, results: { data: number[]; days: string[]; status: string }[]): Point[] =>
    results.flatMap(({ data, days, status }) =>
      data.map((number, at) => ({
        source: { kind: 'InsightActorsQuery', source, day: days[at], status },
        number: Math.abs(number),
      })),
    ),
}));

const stickiness = fc
  .record({ event, interval: fc.constantFrom('hour', 'day', 'week'), isCompared: fc.boolean() })
  .map(({ event, interval, isCompared }) => ({
    query: {
      kind: 'StickinessQuery',
      series: [node('d'), node(event)],
      interval,
      ...(isCompared ? { compareFilter: { compare: true } } : {}),
    },
    points: (source: object, results: { data: number[]; days: number[]; action: { order: number }; compare_label?: string }[]) =>
      results.flatMap(({ data, days, action, compare_label: compare }): Point[] =>
        data.map((number, at) => ({
          source: {
            kind: 'InsightActorsQuery',
            source,
            day: days[at],
            series: action.order,
            ...(isCompared ? { compare } : {}),
          },
          number,
        })),
      ),
  }));

const retention = fc
  .record({
    target: event,
    returning: event,
    period: fc.constantFrom('Hour', 'Day', 'Week'),
    retentionType: fc.constantFrom('retention_first_time', 'retention_recurring'),
    isBroken: fc.boolean(),
  })
  .map(({ target, returning, period, retentionType, isBroken }) => ({
    query: {
      kind: 'RetentionQuery',
      retentionFilter: {
        targetEntity: { id: target, type: 'events' },
        returningEntity: { id: returning, type: 'events' },
        period,
        retentionType,
        totalIntervals: 6,
      },
      ...(isBroken ? { breakdownFilter: { breakdowns: [{ property: 'plan', type: 'event' }] } } : {}),
    },
    points: (source: object, results: { values: { count: number }[]; breakdown_value?: unknown }[]): Point[] => {
      const rows = new Map<string, number>();
      return results.flatMap(({ values, breakdown_value: breakdown }) => {
        const table = JSON.stringify(breakdown ?? null);
        const interval = rows.get(table) ?? 0;
        rows.set(table, interval + 1);
        return values.map(({ count }, later) => ({
          source: { kind: 'InsightActorsQuery', source, interval, later, ...(isBroken ? { breakdown } : {}) },
          number: count,
        }));
      });
    },
  }));

const funnels = fc
  .record({
    steps: fc.array(event, { minLength: 2, maxLength: 4 }),
    order: fc.constantFrom('ordered', 'unordered', 'strict'),
    windowHours: fc.constantFrom(1, 24, 240),
    isBroken: fc.boolean(),
    excluded: fc.option(fc.constantFrom('c', 'd')),
  })
  .map(({ steps, order, windowHours, isBroken, excluded }) => ({
    query: {
      kind: 'FunnelsQuery',
      series: steps.map(node),
      funnelsFilter: {
        funnelOrderType: order,
        funnelWindowInterval: windowHours,
        funnelWindowIntervalUnit: 'hour',
        ...(excluded && order !== 'unordered' && !(steps as (string | null)[]).includes(excluded) && !steps.includes(null)
          ? { exclusions: [{ ...node(excluded), funnelFromStep: 0, funnelToStep: steps.length - 1 }] }
          : {}),
      },
      ...(isBroken ? { breakdownFilter: { breakdown: 'plan', breakdown_type: 'event' } } : {}),
    },
    points: (source: object, results: FunnelStep[] | FunnelStep[][]): Point[] =>
      (isBroken ? (results as FunnelStep[][]) : [results as FunnelStep[]]).flatMap((list) =>
        list.flatMap(({ count, breakdown_value: funnelStepBreakdown }, at): Point[] => {
          const behind = (funnelStep: number) => ({
            kind: 'FunnelsActorsQuery',
            source,
            funnelStep,
            ...(isBroken ? { funnelStepBreakdown } : {}),
          });
          const before = list[at - 1]?.count;
          return [
            { source: behind(at + 1), number: count },
            ...(before === undefined ? [] : [{ source: behind(-at - 1), number: before - count }]),
          ];
        }),
      ),
  }));

interface FunnelStep {
  count: number;
  breakdown_value?: unknown;
}

const paths = fc.record({ steps: fc.integer({ min: 2, max: 4 }) }).map(({ steps: stepLimit }) => ({
  query: { kind: 'PathsQuery', pathsFilter: { includeEventTypes: ['custom_event'], stepLimit } },
  points: (source: object, results: { source: string; target: string; value: number }[]): Point[] =>
    results.map((edge) => ({
      source: {
        kind: 'InsightActorsQuery',
        source: {
          ...source,
          pathsFilter: { includeEventTypes: ['custom_event'], stepLimit, pathStartKey: edge.source, pathEndKey: edge.target },
        },
      },
      number: edge.value,
      countsPaths: true,
    })),
}));

test.each<[string, fc.Arbitrary<{ query: object; points(source: object, results: never): Point[] }>]>([
  ['a lifecycle', lifecycle],
  ['stickiness', stickiness],
  ['retention', retention],
  ['a funnel', funnels],
  ['paths', paths],
])('behind each point of %s', async (_, kind) => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.array(fc.tuple(base, kind, fc.array(fc.nat(500), { minLength: 8, maxLength: 8 })), { minLength: 4, maxLength: 4 }),
      async (history, questions) => {
        projectId++;
        await putRows(events, rowsOf(history, projectId));
        for (const [{ timezone, days }, { query, points }, picks] of questions) {
          const source = { ...query, dateRange: rangeOf(days) };
          const { results } = await run(timezone, source);
          const all = points(source, results as never);
          const full = all.filter(({ number }) => number > 0);
          // few points of many have any people: half of those looked at should
          for (const [index, pick] of picks.entries()) {
            const among = index % 2 ? all : full;
            const point = among[pick % Math.max(among.length, 1)];
            if (!point) continue;
            const { results: behind } = await run(timezone, {
              kind: 'ActorsQuery',
              select: ['event_count'],
              source: point.source,
              limit: 1000,
            });
            const rows = behind as [number][];
            const found = point.countsPaths ? rows.reduce((sum, [paths]) => sum + Number(paths), 0) : rows.length;
            expect(found, JSON.stringify(point.source)).toBe(point.number);
            compared++;
          }
        }
      },
    ),
    { numRuns: 6, seed: 19, endOnFailure: true },
  );
  expect(compared).toBeGreaterThan(100);
});
