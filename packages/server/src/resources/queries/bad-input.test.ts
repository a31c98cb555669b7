import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isObject, type Json } from '../../kernel/json.js';
import { eventRow } from '../../testing/events.js';
import { startTestService, type TestService } from '../../testing/service.js';

/*
 * Whatever is sent as a query, the answer is a result or a refusal, and the engine goes on answering.
 */

let service: TestService;
let cyclic: number;
beforeAll(async () => {
  service = await startTestService();
  const { projectId, clock, deps } = service;
  const rows = Array.from({ length: 50 }, (_, number) =>
    eventRow(number, {
      project_id: projectId,
      event: number % 2 ? '$pageview' : 'bought',
      distinct_id: `d${number % 7}`,
      timestamp: clock.now() - number * 3_600_000,
      properties: { amount: number, $browser: `b${number % 5}`, $session_id: `s${number % 9}`, $current_url: '/a' },
    }),
  );
  await deps.events.insert('events', rows, { token: 'rows' });
  const made = await service.call('POST', `/api/projects/${projectId}/cohorts/`, {
    body: { name: 'ring', filters: { properties: { type: 'AND', values: [{ type: 'person', key: 'a', value: 'b' }] } } },
  });
  cyclic = made.json().id;
  const ring = { properties: { type: 'AND', values: [{ type: 'cohort', key: 'id', value: cyclic }] } };
  await deps.db
    .updateTable('cohorts')
    .set({ filters: JSON.stringify(ring) })
    .where('id', '=', cyclic)
    .execute();
});
afterAll(() => service.close());

const ask = (query: unknown) => service.call('POST', `/api/projects/${service.projectId}/query/`, { body: { query } });

const node = {
  kind: 'EventsNode',
  event: 'bought',
  math: 'sum',
  math_property: 'amount',
  properties: [{ key: 'a', value: 'b' }],
};
const plain = { kind: 'EventsNode', event: '$pageview' };
const properties = {
  type: 'AND',
  values: [
    {
      type: 'OR',
      values: [
        { key: '$browser', operator: 'regex', value: 'b.' },
        { type: 'person', key: 'x', operator: 'gt', value: 1 },
      ],
    },
  ],
};
const scope = { dateRange: { date_from: '-7d', date_to: null }, properties, filterTestAccounts: false, samplingFactor: 0.5 };
const VALID: Json[] = [
  {
    kind: 'TrendsQuery',
    series: [node, plain],
    interval: 'day',
    ...scope,
    breakdownFilter: { breakdown: '$browser', breakdown_type: 'event', breakdown_limit: 3 },
    compareFilter: { compare: true, compare_to: '-1w' },
    trendsFilter: { formula: 'A / B', smoothingIntervals: 2, display: 'ActionsLineGraph' },
  },
  { kind: 'TrendsQuery', series: [plain], breakdownFilter: { breakdowns: [{ property: 'amount', histogram_bin_count: 4 }] } },
  {
    kind: 'FunnelsQuery',
    series: [plain, { ...plain, event: 'bought' }],
    ...scope,
    funnelsFilter: {
      funnelWindowInterval: 3,
      funnelWindowIntervalUnit: 'day',
      funnelVizType: 'trends',
      funnelOrderType: 'unordered',
      exclusions: [{ kind: 'EventsNode', event: 'x', funnelFromStep: 0, funnelToStep: 1 }],
      binCount: 4,
    },
  },
  {
    kind: 'RetentionQuery',
    ...scope,
    retentionFilter: { period: 'Day', totalIntervals: 5, targetEntity: { id: 'bought', type: 'events' }, cumulative: true },
  },
  { kind: 'StickinessQuery', series: [plain], ...scope, stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 1 } } },
  { kind: 'LifecycleQuery', series: [plain], interval: 'day', ...scope },
  {
    kind: 'PathsQuery',
    ...scope,
    pathsFilter: { startPoint: '/a', stepLimit: 3, localPathCleaningFilters: [{ regex: 'a', alias: 'b' }] },
  },
  {
    kind: 'EventsQuery',
    select: ['event', 'properties.amount', 'person'],
    orderBy: ['timestamp desc'],
    properties,
    limit: 10,
    after: '-7d',
  },
  {
    kind: 'ActorsQuery',
    select: ['id', 'properties.x'],
    search: 'a',
    source: { kind: 'InsightActorsQuery', source: { kind: 'TrendsQuery', series: [plain] }, series: 0 },
  },
  {
    kind: 'HogQLQuery',
    query: 'select event, {a}, sum(properties.amount) from events where {filters} group by 1, 2 order by 1 limit 5',
    values: { a: 1 },
    filters: { dateRange: scope.dateRange, properties, filterTestAccounts: false },
    limit: 10,
    offset: 1,
  },
];

const nasty = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    false,
    0,
    -1,
    0.5,
    1e308,
    -1e308,
    1e21,
    2_147_483_648,
    9_007_199_254_740_992,
    '',
    ' ',
    '0',
    '-1',
    '1e400',
    'NaN',
    'Infinity',
    '-5000d',
    '-9999y',
    '9999-12-31',
    '0001-01-01',
    '1899-01-01',
    '2300-01-01',
    '-9999M',
    'all',
    'dStart',
    '2024-02-31',
    'hour',
    'second',
    'month',
    'year',
    '$browser',
    '(',
    '(a+)+$',
    '(.*)*x',
    'a{1000}{1000}',
    '[[:alpha:]',
    '\\',
    '\\1',
    '(?=a)',
    "'",
    '`',
    '"',
    '--',
    '{p0:String}',
    '{filters}',
    '%',
    '\u0000',
    '\ud800',
    '💥',
    '𝒳'.repeat(600),
    'x'.repeat(5_000),
    '__proto__',
    'constructor',
    'a.b',
    '^`a',
    'properties.',
    'person',
    'group',
    'cohort',
    'element',
    'event',
    'TrendsQuery',
    'hogql',
    'sum',
    'p99',
    'unique_group',
    'first_time_for_user',
    'dau',
    'weekly_active',
    'avg_count_per_actor',
    'trends',
    'time_to_convert',
    'strict',
    'Month',
    'BoldNumber',
    'A / 0',
    'A + '.repeat(200),
    '('.repeat(500),
    'select 1/0',
    'select toInt64(event) from events',
    'select [] + 1',
    "select repeat('x', 1000000000)",
    'select range(1000000000)',
    'select arrayMap(x -> x.1, [1])',
    'select * from events e join events f on 1 = 1',
    "select toDate('x')",
    'select count() from numbers(1000000) a, numbers(1000000) b limit 1',
    'select {a}(1)',
    'select sum(1) over ()',
    "select 1 as `{x:String}`, '{y:Int8}'",
    'select quantile(2)(1)',
    'select 1 limit 5 by 1',
    'select cast(1 as Tuple())',
    "select match('a', '(')",
    'select 99999999999999999999999999999999999999999999 + 1e999',
    "select toTimeZone(now(), 'Nowhere')",
    'select arrayJoin(emptyArrayString())',
    'select u.* from events',
    "select a from (select 1 as a union all select 'b') x",
  ),
  fc.constantFrom<Json>([], {}, [[]], [null], [{}], { type: 'AND', values: [] }, { a: { b: { c: [] } } }),
  fc.constant<Json>(Array.from({ length: 1000 }, (_, index) => `value ${index}`)),
  fc.constant<Json>(Array.from({ length: 1000 }, () => plain)),
  fc.constant<Json>(Array.from({ length: 60 }, (_, index) => ({ key: `k${index}`, operator: 'icontains', value: ['a', 'b'] }))),
  fc.constant('cyclic' as const),
  fc.constant<Json>(
    Array.from({ length: 200 }).reduce<Json>((inner) => ({ type: 'AND', values: [inner] }), { type: 'AND', values: [] }),
  ),
  fc.jsonValue({ maxDepth: 3 }).map((value): Json => JSON.parse(JSON.stringify(value))),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double(),
);

/** Every place in a query. */
function placesIn(value: Json, path: (string | number)[] = []): (string | number)[][] {
  const inner = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return [path, ...inner.flatMap(([key, one]) => placesIn(one as Json, [...path, key]))];
}

function put(value: Json, [key, ...rest]: (string | number)[], into: Json): Json {
  if (key === undefined) return into;
  if (Array.isArray(value)) return value.map((one, index) => (index === key ? put(one, rest, into) : one));
  if (!isObject(value)) return into;
  return { ...value, [key]: put((value[key] ?? null) as Json, rest, into) };
}

const broken = fc
  .tuple(fc.constantFrom(...VALID), fc.array(fc.tuple(fc.nat(), nasty), { minLength: 1, maxLength: 3 }))
  .map(([query, edits]) =>
    edits.reduce<Json>((all, [place, value]) => {
      const places = placesIn(all).slice(1);
      const path = places[place % Math.max(1, places.length)] ?? [];
      return put(all, path, value === 'cyclic' ? [{ type: 'cohort', key: 'id', value: cyclic }] : (value as Json));
    }, query),
  );

test('each query is valid before the test breaks it', async () => {
  for (const query of VALID) expect([(await ask(query)).statusCode, query]).toEqual([200, query]);
});

test('no broken query causes a 500', { timeout: 300_000 }, async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(broken, async (query) => {
      const answer = await ask(query);
      expect([200, 400]).toContain(answer.statusCode);
      if (answer.statusCode === 400) {
        expect(answer.json()).toMatchObject({
          type: expect.any(String),
          code: expect.any(String),
          detail: expect.stringMatching(/./),
        });
        refused++;
      }
    }),
    { numRuns: Number(process.env['RUNS'] ?? 80) },
  );
  expect(refused).toBeGreaterThan(2);
  expect((await ask({ kind: 'EventsQuery', after: 'all' })).json().results).toHaveLength(50);
});
