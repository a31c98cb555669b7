import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import type { EventRow } from '../../../ports/events.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import {
  byActor,
  groupedBy,
  HISTORY_START,
  histories,
  personOf,
  putMerges,
  putRows,
  rowsOf,
} from '../../../testing/histories.js';
import { bestRun, naiveRuns } from '../../../testing/naive-funnel.js';
import { type NaiveAttribution, NO_VALUE, naiveEntrances, naiveValueRuns } from '../../../testing/naive-funnel-values.js';
import { runs } from '../../../testing/runs.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = HISTORY_START + 11 * DAY;
const FROM = HISTORY_START + 12 * HOUR;

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

const plan = (row: EventRow) => row.properties['plan'];
const STEPS = [
  { node: { event: 'a' }, is: (row: EventRow) => row.event === 'a' },
  { node: { event: 'b' }, is: (row: EventRow) => row.event === 'b' },
  { node: { event: 'c' }, is: (row: EventRow) => row.event === 'c' },
];
// steps that overlap with the others: the same event fits several
const OVERLAPPING = [
  { node: { event: null }, is: () => true },
  {
    node: { event: 'b', properties: [{ key: 'plan', type: 'event', operator: 'exact', value: ['pro'] }] },
    is: (row: EventRow) => row.event === 'b' && plan(row) === 'pro',
  },
];
const EXCLUSIONS = [
  { node: { event: 'd' }, is: (row: EventRow) => row.event === 'd' },
  { node: { event: 'b' }, is: (row: EventRow) => row.event === 'b' },
];

const funnel = fc
  .record({
    order: fc.constantFrom('ordered' as const, 'strict' as const, 'unordered' as const),
    steps: fc.array(fc.nat(4), { minLength: 2, maxLength: 4 }),
    hours: fc.constantFrom(1, 5, 24, 72),
    exclusions: fc.array(fc.record({ which: fc.nat(1), from: fc.nat(3), to: fc.nat(3) }), { maxLength: 2 }),
    groups: fc.boolean(),
    skipped: fc.oneof(fc.constant([]), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })),
  })
  .map(({ order, steps, hours, exclusions, groups, skipped }) => {
    const known = [...STEPS, ...(order === 'unordered' ? STEPS : OVERLAPPING), ...STEPS];
    const chosen = steps.flatMap((step) => known[step] ?? []);
    const last = chosen.length - 1;
    const excluded = exclusions.flatMap(({ which, from, to }) => {
      const [low, high] = order === 'unordered' ? [0, last] : [Math.min(from, to, last - 1), Math.min(Math.max(from, to), last)];
      const isStep = chosen.some(({ node }) => node.event === EXCLUSIONS[which]?.node.event);
      const possible = order === 'unordered' && isStep ? [] : EXCLUSIONS.slice(which, which + 1);
      return possible.map((one) => ({ ...one, from: low, to: Math.max(high, low + 1) }));
    });
    const optional = chosen.map((_, index) => order !== 'unordered' && index > 0 && skipped[index] === true);
    return { order, steps: chosen, window: hours * HOUR, exclusions: excluded, groups, optional };
  });
type Funnel = typeof funnel extends fc.Arbitrary<infer T> ? T : never;

const nodes = (list: { node: object }[]) => list.map(({ node }) => ({ kind: 'EventsNode', ...node }));

/** The last step that everybody takes who gets there. */
const lastRequired = ({ optional }: Funnel) => optional.lastIndexOf(false);

function queryOf({ order, steps, window, exclusions, groups, optional }: Funnel, filter: object = {}, rest: object = {}) {
  return {
    kind: 'FunnelsQuery',
    series: nodes(steps).map((node, index) => (optional[index] ? { ...node, optionalInFunnel: true } : node)),
    dateRange: { date_from: new Date(FROM).toISOString(), date_to: '2024-04-06' },
    ...(groups ? { aggregation_group_type_index: 1 } : {}),
    funnelsFilter: {
      funnelOrderType: order,
      funnelWindowInterval: window / HOUR,
      funnelWindowIntervalUnit: 'hour',
      exclusions: exclusions.map(({ node, from, to }) => ({
        kind: 'EventsNode',
        ...node,
        funnelFromStep: from,
        funnelToStep: to,
      })),
      ...filter,
    },
    ...rest,
  };
}

const compute = async (projectId: number, query: object, timezone = 'UTC'): Promise<unknown> => {
  const context = { projectId, timezone, now: NOW, hasDenseEvents: async () => projectId % 2 === 0 };
  const result = await runQuery(events.store, validate(querySchema, query), context);
  return 'results' in result ? result.results : null;
};

const naive = ({ steps, ...rest }: Funnel) => ({ ...rest, steps: steps.map(({ is }) => is) });

function inRange(rows: EventRow[]): EventRow[] {
  return rows.filter(({ timestamp }) => timestamp >= FROM && timestamp < Date.UTC(2024, 3, 7));
}

const actorsOf = (rows: EventRow[], { groups }: Funnel) => byActor(inRange(rows), groups ? (row) => row.group_1 : personOf);

function median(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return sorted.length === 0 ? null : ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}
const mean = (values: number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length;

/** Count, average and median of each step, of the best runs. */
function summary(best: number[][], { steps, optional }: Funnel) {
  return steps.map((_, step) => {
    const before = optional.slice(0, step).lastIndexOf(false);
    const times = best.filter((run) => run[step]).map((run) => ((run[step] ?? 0) - (run[before] ?? 0)) / 1000);
    return { count: times.length, average: step === 0 ? null : mean(times), median: step === 0 ? null : median(times) };
  });
}

const shown = (results: unknown) =>
  (results as { count: number; average_conversion_time: number | null; median_conversion_time: number | null }[]).map((step) => ({
    count: step.count,
    average: step.average_conversion_time,
    median: step.median_conversion_time,
  }));

const closely = (value: number | null) => (value === null ? null : expect.closeTo(value, 3));

let projectId = 0;

test('steps over random events equal a reference computation: orders, windows, exclusions, ties, merges and groups', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.array(funnel, { minLength: 6, maxLength: 6 }), async (history, funnels) => {
      const rows = rowsOf(history, ++projectId);
      await putRows(events, rows);
      for (const one of funnels) {
        const best = [...actorsOf(rows, one).values()].flatMap((own) => {
          const run = bestRun(naiveRuns(own, naive(one)));
          return run ? [run] : [];
        });
        const expected = summary(best, one).map(({ count, average, median }) => ({
          count,
          average: closely(average),
          median: closely(median),
        }));
        const query = queryOf(one);
        expect(shown(await compute(projectId, query)), JSON.stringify(query)).toEqual(expected);
      }
    }),
    { ...runs(9), endOnFailure: true },
  );
});

test('conversion over time, the histogram and breakdowns equal a reference computation', async () => {
  const anyFunnel = fc.record({
    funnel,
    timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
    attribution: fc.constantFrom('first_touch', 'last_touch', 'all_events', 'step'),
    step: fc.nat(1),
    limit: fc.constantFrom(1, 2, 25),
  });
  await fc.assert(
    fc.asyncProperty(histories, fc.array(anyFunnel, { minLength: 4, maxLength: 4 }), async (history, all) => {
      const rows = rowsOf(history, ++projectId);
      await putRows(events, rows);
      for (const { funnel: one, timezone, attribution, step, limit } of all) {
        const actors = actorsOf(rows, one);
        const from = {
          date_from: new Date(FROM).toISOString(),
          date_to: new Date(Date.UTC(2024, 3, 7)).toISOString(),
          explicitDate: true,
        };
        const funnelToStep = lastRequired(one);
        if (funnelToStep > 0) {
          const over = queryOf(one, { funnelVizType: 'trends', funnelToStep }, { dateRange: from });
          expect(daysOf(await compute(projectId, over, timezone)), JSON.stringify(one)).toEqual(naiveDays(actors, one, timezone));

          const bars = queryOf(one, { funnelVizType: 'time_to_convert', binCount: 5, funnelToStep });
          expect(await compute(projectId, bars)).toEqual(naiveBars(actors, one, 5));
        }

        const filter = { breakdownAttributionType: attribution, breakdownAttributionValue: step };
        const broken = queryOf(one, filter, {
          breakdownFilter: { breakdown: 'plan', breakdown_type: 'event', breakdown_limit: limit },
        });
        const by = attributionOf(attribution, step);
        const found = valuesOf(await compute(projectId, broken));
        expect(found, JSON.stringify(broken)).toEqual(naiveValues(actors, one, by, limit));

        if (funnelToStep > 0) {
          const over = {
            ...broken,
            dateRange: from,
            funnelsFilter: { ...broken.funnelsFilter, funnelVizType: 'trends', funnelToStep },
          };
          const lines = linesOf(await compute(projectId, over, timezone));
          expect(lines, JSON.stringify(over)).toEqual(naiveLines(actors, one, by, limit, timezone));
        }
      }
    }),
    { ...runs(6), endOnFailure: true },
  );
});

const daysOf = (results: unknown) => {
  const [line] = results as {
    days: string[];
    reached_from_step_count: number[];
    reached_to_step_count: number[];
    data: number[];
  }[];
  const began = line?.reached_from_step_count ?? [];
  return (line?.days ?? []).flatMap((day, index) =>
    began[index] ? [[day, began[index], line?.reached_to_step_count[index], line?.data[index]]] : [],
  );
};

function naiveDays(actors: Map<string, EventRow[]>, one: Funnel, timeZone: string) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  const days = new Map<string, { began: number; converted: number }>();
  for (const own of actors.values()) {
    const furthest = new Map<string, number>();
    for (const run of naiveRuns(own, naive(one))) {
      const day = format.format(run[0]);
      furthest.set(day, Math.max(furthest.get(day) ?? 0, run.length));
    }
    for (const [day, steps] of furthest) {
      const { began, converted } = days.get(day) ?? { began: 0, converted: 0 };
      days.set(day, { began: began + 1, converted: converted + Number(steps > lastRequired(one)) });
    }
  }
  const rate = ({ began, converted }: { began: number; converted: number }) => Math.round((converted / began) * 10_000) / 100;
  return [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([day, sums]) => [day, sums.began, sums.converted, rate(sums)]);
}

function naiveBars(actors: Map<string, EventRow[]>, one: Funnel, bars: number) {
  const times = [...actors.values()].flatMap((own) => {
    const run = bestRun(naiveRuns(own, naive(one))) ?? [];
    const last = run[lastRequired(one)];
    return last ? [(last - (run[0] ?? 0)) / 1000] : [];
  });
  if (times.length === 0) return { bins: [], average_conversion_time: null };
  const low = Math.floor(Math.min(...times));
  const high = Math.max(...times);
  const width = high === Math.min(...times) ? 60 : Math.ceil((high - low) / bars);
  const bins = Array.from({ length: bars + 1 }, (_, bar) => {
    const [from, to] = [low + bar * width, low + (bar + 1) * width];
    return [from, times.filter((time) => time >= from && time < to).length];
  });
  return { bins, average_conversion_time: closely(mean(times)) };
}

const attributionOf = (type: string, step: number): NaiveAttribution =>
  type === 'step' ? { step } : type === 'first_touch' || type === 'last_touch' ? type : 'all_events';

const planOf = (row: EventRow): string => String(plan(row) || NO_VALUE);

const valuesOf = (results: unknown) =>
  (results as { breakdown_value: string[]; count: number }[][]).map((steps) => [
    steps[0]?.breakdown_value,
    steps.map(({ count }) => count),
  ]);

/** The largest values, and the rest as "Other". */
function limited<T>(values: Map<string, T[]>, limit: number, size: (own: T[]) => number): [string[], T[]][] {
  // what has no value is stored under a name that comes before all others
  const order = [...values].toSorted(([a, one], [b, other]) => size(other) - size(one) || (marked(a) < marked(b) ? -1 : 1));
  const rest = order.slice(limit).flatMap(([, own]) => own);
  const shown = order.slice(0, limit).map(([value, own]): [string[], T[]] => [[value], own]);
  return order.length > limit ? [...shown, [['Other'], rest]] : shown;
}
const marked = (value: string) => value || '$$_posthog_breakdown_null_$$';

function naiveValues(actors: Map<string, EventRow[]>, one: Funnel, by: NaiveAttribution, limit: number) {
  const runs = naiveValueRuns(actors.values(), naive(one), planOf, by);
  return limited(
    groupedBy(runs, ({ value }) => value),
    limit,
    (own) => own.length,
  ).map(([value, own]) => [value, one.steps.map((_, index) => own.filter(({ run }) => run[index]).length)]);
}

const linesOf = (results: unknown) =>
  (results as { breakdown_value: string[] }[]).map((line) => [line.breakdown_value, daysOf([line])]);

function naiveLines(actors: Map<string, EventRow[]>, one: Funnel, by: NaiveAttribution, limit: number, timeZone: string) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  const entrances = naiveEntrances(actors.values(), naive(one), planOf, by, (instant) => format.format(instant));
  const to = lastRequired(one);
  return limited(
    groupedBy(entrances, ({ value }) => value),
    limit,
    (own) => own.length,
  ).map(([value, own]) => [
    value,
    [...groupedBy(own, ({ interval }) => interval)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, all]) => {
        const converted = all.filter(({ steps }) => steps > to).length;
        return [day, all.length, converted, Math.round((converted / all.length) * 10_000) / 100];
      }),
  ]);
}

test.each([
  [{ series: [] }, 'series'],
  [{ series: nodes([{ node: { event: 'a' } }]) }, 'series'],
  [{ series: nodes(Array.from({ length: 100 }, () => ({ node: { event: 'a' } }))) }, 'series'],
  [{ series: [...nodes(STEPS), { kind: 'EventsNode', event: 'a', math: 'weekly_active' }] }, 'series__3__math'],
  [{ funnelsFilter: { funnelWindowInterval: 0 } }, 'funnelsFilter__funnelWindowInterval'],
  [{ funnelsFilter: { funnelWindowInterval: -1 } }, 'funnelsFilter__funnelWindowInterval'],
  [{ funnelsFilter: { funnelWindowInterval: 9000, funnelWindowIntervalUnit: 'month' } }, 'funnelsFilter__funnelWindowInterval'],
  [{ funnelsFilter: { funnelWindowIntervalUnit: 'year' } }, 'funnelsFilter__funnelWindowIntervalUnit'],
  [{ funnelsFilter: { funnelOrderType: 'random' } }, 'funnelsFilter__funnelOrderType'],
  [{ funnelsFilter: { exclusions: [exclusion(0, 3)] } }, 'funnelsFilter__exclusions__0__funnelToStep'],
  [{ funnelsFilter: { exclusions: [exclusion(0, 1), exclusion(2, 2)] } }, 'funnelsFilter__exclusions__1__funnelToStep'],
  [{ funnelsFilter: { exclusions: [exclusion(3, 3)] } }, 'funnelsFilter__exclusions__0__funnelFromStep'],
  [{ funnelsFilter: { exclusions: [{ kind: 'EventsNode', event: 'a' }] } }, 'funnelsFilter__exclusions__0__funnelFromStep'],
  [{ funnelsFilter: { exclusions: Array.from({ length: 30 }, () => exclusion(0, 1)) } }, 'funnelsFilter__exclusions'],
  [
    { funnelsFilter: { funnelOrderType: 'unordered', exclusions: [exclusion(0, 1)] } },
    'funnelsFilter__exclusions__0__funnelToStep',
  ],
  [
    {
      funnelsFilter: { funnelOrderType: 'unordered', exclusions: [{ ...nodes(STEPS)[1], funnelFromStep: 0, funnelToStep: 2 }] },
    },
    'funnelsFilter__exclusions__0__event',
  ],
  [{ funnelsFilter: { funnelVizType: 'trends', funnelFromStep: 2, funnelToStep: 1 } }, 'funnelsFilter__funnelToStep'],
  [{ funnelsFilter: { funnelVizType: 'time_to_convert', funnelToStep: 5 } }, 'funnelsFilter__funnelToStep'],
  [{ funnelsFilter: { funnelVizType: 'time_to_convert', binCount: 1000 } }, 'funnelsFilter__binCount'],
  [
    { funnelsFilter: { breakdownAttributionType: 'step', breakdownAttributionValue: 3 } },
    'funnelsFilter__breakdownAttributionValue',
  ],
  [{ breakdownFilter: { breakdown: 'plan', breakdown_limit: 100_000 } }, 'breakdownFilter__breakdown_limit'],
  [{ aggregation_group_type_index: 7 }, 'aggregation_group_type_index'],
  [{ series: skipping(0) }, 'series__0__optionalInFunnel'],
  [{ series: skipping(1), funnelsFilter: { funnelOrderType: 'unordered' } }, 'series__1__optionalInFunnel'],
  [{ series: skipping(2), funnelsFilter: { funnelVizType: 'trends' } }, 'funnelsFilter__funnelToStep'],
  [
    { series: skipping(1), funnelsFilter: { funnelVizType: 'time_to_convert', funnelFromStep: 1 } },
    'funnelsFilter__funnelFromStep',
  ],
])('%j is refused at %s', (given, attr) => {
  const query = { kind: 'FunnelsQuery', series: nodes(STEPS), ...given };
  expect(() => validate(querySchema, query)).toThrow(expect.objectContaining({ body: expect.objectContaining({ attr }) }));
});

function skipping(step: number) {
  return nodes(STEPS).map((node, index) => (index === step ? { ...node, optionalInFunnel: true } : node));
}

function exclusion(funnelFromStep: number, funnelToStep: number) {
  return { kind: 'EventsNode', event: 'd', funnelFromStep, funnelToStep };
}

test.each([
  ['ordered', false],
  ['strict', false],
  ['unordered', false],
  ['ordered', true],
])(
  'twenty steps with exclusions and a breakdown are computed: %s, all but the first one optional: %s',
  async (order, optionalInFunnel) => {
    const query = {
      kind: 'FunnelsQuery',
      series: nodes(
        Array.from({ length: 20 }, (_, index) => ({ node: { event: `step ${index}`, ...(index > 0 && { optionalInFunnel }) } })),
      ),
      breakdownFilter: { breakdown: 'plan' },
      funnelsFilter: { funnelOrderType: order, exclusions: [exclusion(0, 19), exclusion(0, 19)] },
    };
    expect(await compute(1, query)).toEqual([]);
  },
);
