import fc from 'fast-check';
import type { Point, PointsOf } from './compare-points.js';

/* Random queries of each kind but trends, and the people that they say are behind each number. */

const node = (event: string | null) => ({ kind: 'EventsNode', event });
const event = fc.constantFrom('a', 'b', 'c', null);
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
      numberOf: sum,
    })),
}));

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);

/** By name; the value of an edge of paths counts paths, not people: the paths of the people behind it add up to it. */
export const KINDS: Readonly<Record<string, fc.Arbitrary<PointsOf>>> = { lifecycle, stickiness, retention, funnels, paths };
