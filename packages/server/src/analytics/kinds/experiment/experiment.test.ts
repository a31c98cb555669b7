import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import type { EventRow } from '../../../ports/events.js';
import { type TestDatabase, testDatabase } from '../../../testing/database.js';
import { eventRow, type TestEvents, testEvents } from '../../../testing/events.js';
import { runs } from '../../../testing/runs.js';
import { type Exposure, type Metric, type MetricEvents, type MetricSums, metricSchema } from './experiment-schema.js';
import { runExposures, runMetric } from './run-experiment.js';

const START = Date.UTC(2024, 4, 1, 22);
const DAY = 86_400_000;
const people = Array.from({ length: 10 }, (_, index) => `00000000-0000-4000-8000-0000000000d${index}`);
/** What was captured as d1 and d2 belongs to the person of d0 by now. */
const personOf = (row: EventRow): string => (['d1', 'd2'].includes(row.distinct_id) ? (people[0] ?? '') : row.person_id);

let events: TestEvents;
let database: TestDatabase;
beforeAll(async () => {
  [events, database] = await Promise.all([testEvents(), testDatabase()]);
  await events.put(
    'person_overrides',
    Array.from({ length: 900 }, (_, run) => [
      { project_id: run + 1, distinct_id: 'd1', person_id: people[0] ?? '', version: 2 },
      { project_id: run + 1, distinct_id: 'd2', person_id: people[5] ?? '', version: 1 },
      { project_id: run + 1, distinct_id: 'd2', person_id: people[0] ?? '', version: 2 },
    ]).flat(),
  );
});
afterAll(() => Promise.all([events.close(), database.close()]));

const VARIANTS = ['control', 'test', 'third'];
// few distinct times, so that events meet in the same millisecond and at the bounds
const time = fc.oneof(
  fc.integer({ min: -2, max: 40 }).map((tick) => START + tick * 3_600_000),
  fc.constantFrom(START, START + 2 * DAY),
);
const call = fc.record({
  event: fc.constant('$feature_flag_called'),
  properties: fc.record({
    $feature_flag: fc.constantFrom('flag', 'flag', 'flag', 'other'),
    $feature_flag_response: fc.constantFrom('control', 'control', 'test', 'test', 'test', 'gone', false, true),
  }),
});
const own = fc.record({
  event: fc.constant('entered'),
  properties: fc.constantFrom({ '$feature/flag': 'test' }, { '$feature/flag': 'control' }, {}),
});
const action = fc.record({
  event: fc.constantFrom('view', 'cart', 'buy'),
  properties: fc.record(
    {
      amount: fc.oneof(
        fc.double({ min: -50, max: 200, noNaN: true }).map((value) => Math.round(value * 100) / 100),
        fc.constantFrom('12.5', 'much', null, true),
      ),
      plan: fc.constantFrom('free', 'pro'),
    },
    { requiredKeys: [] },
  ),
});
const history = fc.array(
  fc.record({
    what: fc.oneof({ weight: 2, arbitrary: call }, { weight: 1, arbitrary: own }, { weight: 6, arbitrary: action }),
    time,
    person: fc.nat(9),
  }),
  { minLength: 30, maxLength: 300 },
);

const node = fc.record({
  event: fc.constantFrom('view', 'cart', 'buy', null),
  math: fc.constantFrom('total', 'dau', 'sum', 'avg', 'min', 'max'),
  math_property: fc.constant('amount'),
  properties: fc.constantFrom([], [{ key: 'plan', type: 'event', operator: 'exact', value: 'pro' }]),
});
const window = { conversion_window: fc.option(fc.integer({ min: 1, max: 30 })), conversion_window_unit: fc.constant('hour') };
const metric = fc.oneof(
  fc.record({ metric_type: fc.constant('mean'), source: node, ...window }),
  fc.record({ metric_type: fc.constant('funnel'), series: fc.array(node, { minLength: 1, maxLength: 4 }), ...window }),
  fc.record({ metric_type: fc.constant('ratio'), numerator: node, denominator: node, ...window }),
);
const setting = fc.record({
  event: fc.constantFrom(null, null, '$feature_flag_called', 'entered'),
  several: fc.constantFrom('exclude' as const, 'first_seen' as const),
});

test('sums over random events equal a reference computation, with merges, windows and several variants', async () => {
  let projectId = 0;
  await fc.assert(
    fc.asyncProperty(history, fc.array(metric, { minLength: 3, maxLength: 5 }), setting, async (given, metrics, settings) => {
      projectId++;
      const rows = given.map(({ what, time: timestamp, person }, index) =>
        eventRow(projectId * 1000 + ((index * 7919) % 1000), {
          ...what,
          project_id: projectId,
          timestamp,
          distinct_id: `d${person}`,
          person_id: people[person] ?? '',
        }),
      );
      // other projects have the same events: none of them may count
      await events.put('events', [...rows, ...rows.map((row) => ({ ...row, project_id: row.project_id + 1000 }))]);
      const exposure: Exposure = {
        flagKey: 'flag',
        variants: VARIANTS,
        from: START,
        to: START + 2 * DAY,
        properties: { type: 'AND', values: [] },
        filterTestAccounts: false,
        ...settings,
      };
      const context = { projectId, timezone: 'Europe/Berlin', now: START + 2 * DAY, db: database.db };
      const exposed = naiveExposures(rows, exposure);
      const found = await runExposures(events.store, exposure, START + DAY, context);
      expect(found).toEqual(exposuresOf(exposed, START + DAY));
      for (const raw of metrics) {
        const wanted = validate(metricSchema, raw);
        const sums = await runMetric(events.store, wanted, exposure, context);
        const expected = naiveSums(rows, wanted, exposed, exposure);
        expect([...sums.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
        for (const [variant, one] of expected) {
          for (const [name, value] of Object.entries(one)) {
            const at = `${name} of ${variant}, ${JSON.stringify(raw)}`;
            const actual = sums.get(variant)?.[name as keyof MetricSums];
            if (typeof value === 'number') expect(actual, at).toBeCloseTo(value, 5);
            else expect(actual, at).toEqual(value);
          }
        }
      }
    }),
    runs(12),
  );
});

describe('refused metrics', () => {
  test.each([
    [{}, 'metric_type'],
    [{ metric_type: 'median' }, 'metric_type'],
    [{ metric_type: 'mean' }, 'source'],
    [{ metric_type: 'mean', source: { event: 'a', math: 'sum' } }, 'source__math_property'],
    [{ metric_type: 'mean', source: { event: 'a', math: 'p99' } }, 'source__math'],
    [
      { metric_type: 'mean', source: { event: 'a', properties: [{ key: 'a', operator: 'like', value: 1 }] } },
      'source__properties__0__operator',
    ],
    [{ metric_type: 'funnel', series: [] }, 'series'],
    [{ metric_type: 'funnel', series: ['a'] }, 'series__0'],
    [{ metric_type: 'ratio', numerator: {} }, 'denominator'],
    [{ metric_type: 'mean', source: {}, conversion_window: 0 }, 'conversion_window'],
    [{ metric_type: 'mean', source: {}, goal: 'up' }, 'goal'],
  ])('%j: %s', (value, field) => {
    expect(() => validate(metricSchema, value)).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ attr: field }) }),
    );
  });
});

interface Exposed {
  variant: string;
  first: number;
  several: boolean;
}

/** Everybody's first exposure, event by event. */
function naiveExposures(rows: readonly EventRow[], { event, variants, from, to, several }: Exposure): Map<string, Exposed> {
  const isCall = event === null || event === '$feature_flag_called';
  const found = new Map<string, Exposed & { met: Set<string> }>();
  for (const row of inOrder(rows)) {
    const { properties, timestamp } = row;
    if (timestamp < from || timestamp >= to || row.event !== (event ?? '$feature_flag_called')) continue;
    const variant = properties[isCall ? '$feature_flag_response' : '$feature/flag'];
    if (typeof variant !== 'string' || !variants.includes(variant)) continue;
    if (isCall && properties['$feature_flag'] !== 'flag') continue;
    const known = found.get(personOf(row)) ?? { variant, first: timestamp, several: false, met: new Set() };
    known.met.add(variant);
    found.set(personOf(row), { ...known, several: several === 'exclude' && known.met.size > 1 });
  }
  return found;
}

const inOrder = (rows: readonly EventRow[]): EventRow[] =>
  rows.toSorted((a, b) => a.timestamp - b.timestamp || (a.uuid < b.uuid ? -1 : 1));

function exposuresOf(exposed: Map<string, Exposed>, recentFrom: number) {
  const groups = grouped(
    [...exposed.values()].filter(({ several }) => !several),
    ({ variant }) => variant,
  );
  // in May Berlin is two hours ahead
  const day = ({ first }: Exposed) => new Date(first + 7_200_000).toISOString().slice(0, 10);
  const each = <T>(value: (group: Exposed[]) => T) => new Map([...groups].map(([variant, group]) => [variant, value(group)]));
  return {
    totals: each((group) => group.length),
    recent: each((group) => group.filter(({ first }) => first >= recentFrom).length),
    several: [...exposed.values()].filter(({ several }) => several).length,
    days: each((group) => new Map([...grouped(group, day)].map(([date, those]) => [date, those.length]))),
  };
}

function grouped<T>(values: readonly T[], key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(key(value), [...(groups.get(key(value)) ?? []), value]);
  return groups;
}

function naiveSums(rows: readonly EventRow[], metric: Metric, exposed: Map<string, Exposed>, { to }: Exposure) {
  const sums = new Map<string, MetricSums>();
  for (const [person, { variant, first, several }] of exposed) {
    if (several) continue;
    const end = metric.window === null ? to : Math.min(to, first + metric.window);
    const personRows = inOrder(rows).filter((row) => personOf(row) === person && row.timestamp >= first && row.timestamp < end);
    const { x, y, any, steps } = numbersOf(personRows, metric);
    const all = sums.get(variant) ?? {
      exposures: 0,
      samples: 0,
      sum: 0,
      squares: 0,
      otherSum: 0,
      otherSquares: 0,
      products: 0,
      steps: steps.map(() => 0),
    };
    sums.set(variant, {
      exposures: all.exposures + 1,
      samples: all.samples + Number(any),
      sum: all.sum + x,
      squares: all.squares + x * x,
      otherSum: all.otherSum + y,
      otherSquares: all.otherSquares + y * y,
      products: all.products + x * y,
      steps: all.steps.map((count, index) => count + Number(steps[index])),
    });
  }
  return sums;
}

function numbersOf(personRows: readonly EventRow[], metric: Metric): { x: number; y: number; any: boolean; steps: boolean[] } {
  if (metric.type === 'mean')
    return { x: numberOf(personRows, metric.source), y: 0, any: personRows.some(matches(metric.source)), steps: [] };
  if (metric.type === 'ratio') {
    const { numerator, denominator } = metric;
    return {
      x: numberOf(personRows, numerator),
      y: numberOf(personRows, denominator),
      any: personRows.some(matches(denominator)),
      steps: [],
    };
  }
  let done = 0;
  for (const row of personRows) {
    const next = metric.steps[done];
    if (next && matches(next)(row)) done++;
  }
  const converted = done === metric.steps.length;
  return { x: Number(converted), y: 0, any: converted, steps: metric.steps.map((_, index) => done > index) };
}

const matches =
  ({ event, properties }: MetricEvents) =>
  (row: EventRow): boolean =>
    (event === null || row.event === event) &&
    (properties.values.length === 0 || properties.values.every(isEmpty) || row.properties['plan'] === 'pro');
const isEmpty = (value: object): boolean => 'values' in value && Array.isArray(value.values) && value.values.length === 0;

function numberOf(personRows: readonly EventRow[], source: MetricEvents): number {
  const own = personRows.filter(matches(source));
  if (source.math === 'total') return own.length;
  if (source.math === 'dau') return Number(own.length > 0);
  const values = own.flatMap(({ properties: { amount } }) =>
    typeof amount === 'number' ? [amount] : amount === '12.5' ? [12.5] : [],
  );
  if (values.length === 0) return 0;
  const sum = values.reduce((all, one) => all + one, 0);
  return { sum, avg: sum / values.length, min: Math.min(...values), max: Math.max(...values) }[source.math];
}
