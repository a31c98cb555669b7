import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import type { EventRow } from '../../../ports/events.js';
import { eventRow, type TestEvents, testEvents } from '../../../testing/events.js';
import { byActor, HISTORY_START, people, personOf, putMerges, putRows } from '../../../testing/histories.js';
import { runs } from '../../../testing/runs.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { PathEdge } from './paths.js';
import { MOST_NAMES } from './step-form.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

const MINUTE = 60_000;
const FROM = HISTORY_START + 20 * MINUTE;
const TO = HISTORY_START + 900 * MINUTE;

const visits = fc.array(
  fc.record({
    event: fc.constantFrom('$pageview', '$pageview', '$pageview', '$screen', 'bought', '$autocapture'),
    url: fc.constantFrom('/', '/a', '/a/', '/b/1', '/b/2', '/c?x=1', undefined),
    screen: fc.constantFrom('Home', '/a', ''),
    minute: fc.oneof(
      fc.nat(1000),
      fc.nat(100).map((half) => half * 30),
    ),
    person: fc.nat(3),
    group: fc.constantFrom('', 'x', 'y'),
  }),
  { minLength: 30, maxLength: 300 },
);

const anyQuery = fc.record({
  include: fc.subarray(['$pageview', '$screen', 'custom_event'] as const),
  start: fc.constantFrom(null, null, '/', '/a/', 'Home'),
  end: fc.constantFrom(null, null, '/b/*', '/a', 'bought'),
  exclude: fc.constantFrom([], ['/a/'], ['bought', '$autocapture'], ['b/*'], ['/b/*', 'Home']),
  groupings: fc.constantFrom([], ['/b/*'], ['b/*'], ['*x=1', '/b/*', '/*'], ['o*t', 'A'], ['/']),
  isCleaned: fc.boolean(),
  stepLimit: fc.integer({ min: 2, max: 6 }),
  edgeLimit: fc.constantFrom(3, 50, 1000),
  min: fc.constantFrom(null, 2),
  max: fc.constantFrom(null, 4),
  groups: fc.boolean(),
});
type AnyQuery = typeof anyQuery extends fc.Arbitrary<infer T> ? T : never;

const queryOf = (query: AnyQuery) => ({
  kind: 'PathsQuery',
  dateRange: { date_from: new Date(FROM).toISOString(), date_to: new Date(TO).toISOString(), explicitDate: true },
  ...(query.groups ? { aggregation_group_type_index: 1 } : {}),
  pathsFilter: {
    includeEventTypes: query.include,
    startPoint: query.start,
    endPoint: query.end,
    excludeEvents: query.exclude,
    pathGroupings: query.groupings,
    localPathCleaningFilters: query.isCleaned ? [{ regex: '\\?.*', alias: '' }] : [],
    stepLimit: query.stepLimit,
    edgeLimit: query.edgeLimit,
    minEdgeWeight: query.min,
    maxEdgeWeight: query.max,
  },
});

const slashless = (text: string) => (text.length > 1 && text.endsWith('/') ? text.slice(0, -1) : text);

function nameOf(row: EventRow, query: AnyQuery): string {
  const { $current_url: url, $screen_name: screen } = row.properties;
  const own = row.event === '$pageview' ? slashless(String(url ?? '')) : row.event === '$screen' ? String(screen ?? '') : '';
  const name = query.isCleaned ? (own || row.event).replace(/\?.*/, '') : own || row.event;
  return query.groupings.find((grouping) => fits(grouping, name)) ?? name;
}

/** Whether a pattern stands anywhere in a name, `*` for anything. */
const fits = (pattern: string, name: string): boolean =>
  new RegExp(
    pattern
      .split('*')
      .map((part) => part.replaceAll(/[?/.$]/g, '\\$&'))
      .join('.*'),
    's',
  ).test(name);

const TYPES: Record<string, (event: string) => boolean> = {
  $pageview: (event) => event === '$pageview',
  $screen: (event) => event === '$screen',
  custom_event: (event) => !event.startsWith('$'),
};

type Step = { at: number; name: string };

function naivePaths(rows: EventRow[], query: AnyQuery): Step[][] {
  const excluded = query.exclude.map(slashless);
  const paths: Step[][] = [];
  for (const own of byActor(rows, query.groups ? (row) => row.group_1 : personOf).values()) {
    const steps = own
      .filter(({ timestamp }) => timestamp >= FROM && timestamp < TO)
      .filter(({ event }) => query.include.length === 0 || query.include.some((type) => TYPES[type]?.(event)))
      .map((row) => ({ at: row.timestamp, name: nameOf(row, query) }))
      .filter(({ name }) => !excluded.some((one) => one === name || (one.includes('*') && fits(one, name))))
      .toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
    let path: Step[] = [];
    let last: Step | undefined;
    for (const step of steps) {
      if (!last || step.at - last.at > 30 * MINUTE) {
        path = [step];
        paths.push(path);
      } else if (step.name !== last.name) path.push(step);
      last = step;
    }
  }
  return paths.flatMap((path) => cut(path, query));
}

function cut(path: Step[], { start, end, stepLimit }: AnyQuery): Step[][] {
  const from = start === null ? 0 : path.findIndex(({ name }) => name === slashless(start));
  if (from < 0) return [];
  const begun = path.slice(from);
  if (end === null) return [begun.slice(0, stepLimit)];
  const to = begun.findIndex(({ name }) => name === slashless(end));
  if (to < 0) return [];
  const own = begun.slice(0, to + 1);
  if (start === null) return [own.slice(-stepLimit)];
  const half = Math.floor(stepLimit / 2);
  const gap = own[half];
  if (own.length <= stepLimit || !gap) return [own];
  return [[...own.slice(0, half), { at: gap.at, name: '...' }, ...own.slice(-half)]];
}

function naiveEdges(rows: EventRow[], query: AnyQuery): PathEdge[] {
  const times = new Map<string, number[]>();
  for (const path of naivePaths(rows, query)) {
    for (const [index, { at, name }] of path.slice(1).entries()) {
      const before = path[index];
      const edge = `${index + 1}\0${before?.name}\0${name}`;
      times.set(edge, [...(times.get(edge) ?? []), at - (before?.at ?? 0)]);
    }
  }
  const edges = [...times]
    .map(([edge, own]) => {
      const [number = '', source = '', target = ''] = edge.split('\0');
      const average = own.reduce((sum, time) => sum + time, 0) / own.length;
      return { number: Number(number), source, target, value: own.length, average };
    })
    .filter(({ value }) => value >= (query.min ?? 0) && value <= (query.max ?? Number.POSITIVE_INFINITY))
    .toSorted((a, b) => b.value - a.value || a.number - b.number || order(a.source, b.source) || order(a.target, b.target))
    .slice(0, query.edgeLimit);
  const isReached = (number: number, name: string): boolean =>
    number === 1 ||
    edges.some((edge) => edge.number === number - 1 && edge.target === name && isReached(edge.number, edge.source));
  return edges
    .filter(({ number, source }) => isReached(number, source))
    .map(({ number, source, target, value, average }) => ({
      source: `${number}_${source}`,
      target: `${number + 1}_${target}`,
      value,
      average_conversion_time: expect.closeTo(average, 3),
    }));
}

const order = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1);

let projectId = 0;

test('the edges of random visits equal a reference computation: pauses, ends, groupings, limits, ties and merges', async () => {
  await fc.assert(
    fc.asyncProperty(visits, fc.array(anyQuery, { minLength: 8, maxLength: 8 }), async (history, queries) => {
      projectId++;
      const rows = history.map(({ event, url, screen, minute, person, group }, index) =>
        eventRow(projectId * 1000 + ((index * 7919) % 1000), {
          project_id: projectId,
          event,
          timestamp: HISTORY_START + minute * MINUTE,
          distinct_id: `d${person}`,
          person_id: people[person] ?? '',
          group_1: group,
          properties: { $screen_name: screen, ...(url === undefined ? {} : { $current_url: url }) },
        }),
      );
      await putRows(events, rows);
      for (const query of queries) {
        const parsed = validate(querySchema, queryOf(query));
        const { results } = await runQuery(events.store, parsed, { projectId, timezone: 'UTC', now: TO });
        expect(results, JSON.stringify(query)).toEqual(naiveEdges(rows, query));
      }
    }),
    { ...runs(3), endOnFailure: true },
  );
});

test('more names of steps than are numbered make no difference', async () => {
  projectId++;
  const visit = (index: number, person: number, minute: number, path: string) =>
    eventRow(projectId * 100_000 + index, {
      project_id: projectId,
      event: '$pageview',
      timestamp: FROM + minute * MINUTE,
      person_id: people[person] ?? '',
      properties: { $current_url: path },
    });
  // one person sees a page after the other, more often than once a minute; another two go from the first to the last of them
  const many = Array.from({ length: MOST_NAMES + 1 }, (_, index) => visit(index, 1, index / 100, `/p${index}`));
  const few = [2, 3].flatMap((person) =>
    ['/p0', '/p7'].map((path, step) => visit(many.length + person * 2 + step, person, step, path)),
  );
  await putRows(events, [...many, ...few]);
  const range = { date_from: '2024-03-01', date_to: '2024-04-07' };
  const query = validate(querySchema, { kind: 'PathsQuery', dateRange: range, pathsFilter: { stepLimit: 3 } });
  const { results } = await runQuery(events.store, query, { projectId, timezone: 'UTC', now: TO });
  expect(results).toEqual([
    { source: '1_/p0', target: '2_/p7', value: 2, average_conversion_time: MINUTE },
    { source: '1_/p0', target: '2_/p1', value: 1, average_conversion_time: MINUTE / 100 },
    { source: '2_/p1', target: '3_/p2', value: 1, average_conversion_time: MINUTE / 100 },
  ]);
});

test('a grouping matches anywhere in a step, and so does an exclusion with a wildcard', async () => {
  projectId++;
  const visits = ['home', 'merchant/1/payment', 'merchant/2/payment?x=1', 'merchant/2/pay', 'thanks'];
  const rows = visits.map((path, index) =>
    eventRow(projectId * 1000 + index, {
      project_id: projectId,
      event: '$pageview',
      timestamp: FROM + index * MINUTE,
      person_id: people[3] ?? '',
      properties: { $current_url: `https://shop.example/${path}` },
    }),
  );
  await putRows(events, rows);
  const edges = async (pathsFilter: object) => {
    const range = { date_from: '2024-03-01', date_to: '2024-04-07' };
    const query = validate(querySchema, { kind: 'PathsQuery', dateRange: range, pathsFilter });
    const { results } = await runQuery(events.store, query, { projectId, timezone: 'UTC', now: TO });
    return (results as PathEdge[]).map(({ target }) => target.replace('https://shop.example', ''));
  };
  expect(await edges({ pathGroupings: ['/merchant/*/payment'] })).toEqual([
    '2_/merchant/*/payment',
    '3_/merchant/2/pay',
    '4_/thanks',
  ]);
  expect(await edges({ excludeEvents: ['/merchant/*/pay'] })).toEqual(['2_/thanks']);
  // without a wildcard the whole step is meant
  expect(await edges({ excludeEvents: ['/merchant/2/pay'] })).toHaveLength(4);
});

test.each([
  [{ stepLimit: 1 }, 'pathsFilter__stepLimit'],
  [{ stepLimit: 100 }, 'pathsFilter__stepLimit'],
  [{ edgeLimit: 100_000 }, 'pathsFilter__edgeLimit'],
  [{ includeEventTypes: ['other'] }, 'pathsFilter__includeEventTypes__0'],
  [{ includeEventTypes: ['hogql'] }, 'pathsFilter__pathsHogQLExpression'],
  [{ includeEventTypes: ['hogql'], pathsHogQLExpression: 'no_column' }, 'pathsFilter__pathsHogQLExpression'],
  [{ minEdgeWeight: 5, maxEdgeWeight: 4 }, 'pathsFilter__maxEdgeWeight'],
  [{ excludeEvents: Array.from({ length: 1000 }, () => 'a') }, 'pathsFilter__excludeEvents'],
  [{ localPathCleaningFilters: [{ regex: 'a', alias: '\\9' }] }, 'pathsFilter__localPathCleaningFilters__0__alias'],
  [{ localPathCleaningFilters: [{ alias: 'x' }] }, 'pathsFilter__localPathCleaningFilters__0__regex'],
])('%j is refused at %s', (pathsFilter, attr) => {
  const refused = expect.objectContaining({ body: expect.objectContaining({ attr }) });
  expect(() => validate(querySchema, { kind: 'PathsQuery', pathsFilter })).toThrow(refused);
});

test('group types that cannot exist are refused', () => {
  const attr = 'aggregation_group_type_index';
  const refused = expect.objectContaining({ body: expect.objectContaining({ attr }) });
  expect(() => validate(querySchema, { kind: 'PathsQuery', aggregation_group_type_index: 5 })).toThrow(refused);
});

test('a pattern that cannot be compiled is refused', async () => {
  const query = validate(querySchema, {
    kind: 'PathsQuery',
    pathsFilter: { localPathCleaningFilters: [{ regex: '/a', alias: '/' }, { regex: '(' }] },
  });
  const attr = 'query__pathsFilter__localPathCleaningFilters__1__regex';
  await expect(runQuery(events.store, query, { projectId: 1, timezone: 'UTC', now: TO })).rejects.toThrow(
    expect.objectContaining({ body: expect.objectContaining({ attr }) }),
  );
});
