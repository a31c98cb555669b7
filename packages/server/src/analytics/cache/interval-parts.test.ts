import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventsUnavailable } from '../../ports/events.js';
import { type TestEvents, testEvents } from '../../testing/events.js';
import { NOW, PEOPLE, partsProject } from '../../testing/parts-project.js';
import { runs } from '../../testing/runs.js';
import { MOST_NAMES } from '../kinds/paths/step-form.js';
import { createIntervalParts } from './interval-parts.js';

const DAY = 86_400_000;

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
});
afterAll(() => events.close());

const project = (...options: [atOnce?: number | null, clock?: { now(): number }]) => partsProject(events, ...options);

const trend = (series: object, more: object = {}) => ({
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'bought', ...series }],
  dateRange: { date_from: '-9d' },
  ...more,
});

const amounts = { math_property: 'amount' };
const pro = [{ key: 'plan', value: ['pro'], operator: 'exact', type: 'person' }];
const QUERIES: object[] = [
  trend({}),
  trend({ math: 'dau' }),
  trend({ math: 'unique_group', math_group_type_index: 0 }),
  ...['sum', 'avg', 'min', 'max', 'median'].map((math) => trend({ math, ...amounts })),
  trend({ math: 'max_count_per_actor' }),
  trend({ math: 'weekly_active' }),
  trend({ math: 'first_time_for_user' }),
  trend({ math: 'dau' }, { properties: pro }),
  trend({ math: 'dau' }, { trendsFilter: { display: 'BoldNumber' } }),
  trend({}, { trendsFilter: { display: 'BoldNumber' } }),
  trend({ math: 'sum', ...amounts }, { trendsFilter: { display: 'BoldNumber' } }),
  trend({ math: 'dau' }, { trendsFilter: { display: 'ActionsLineGraphCumulative' } }),
  trend({}, { compareFilter: { compare: true } }),
  trend({}, { breakdownFilter: { breakdown: 'amount' } }),
  trend(
    {},
    {
      breakdownFilter: {
        breakdowns: [{ property: 'amount' }, { property: '$group_0', type: 'event_metadata' }],
        breakdown_limit: 2,
      },
    },
  ),
  trend({ math: 'dau' }, { breakdownFilter: { breakdown: 'amount', breakdown_limit: 2 } }),
  {
    ...trend({}),
    series: ['bought', 'seen'].map((event) => ({ kind: 'EventsNode', event, math: 'dau' })),
    trendsFilter: { formula: 'A+B' },
  },
];

const lifecycle = (more: object = {}) => ({
  kind: 'LifecycleQuery',
  series: [{ kind: 'EventsNode', event: 'bought' }],
  dateRange: { date_from: '-9d' },
  ...more,
});
const node = (event: string) => ({ kind: 'EventsNode', event });
const entity = { id: 'bought', type: 'events' };
const retention = (more: object) => ({
  kind: 'RetentionQuery',
  retentionFilter: {
    period: 'Day',
    totalIntervals: 7,
    targetEntity: entity,
    returningEntity: { ...entity, id: 'seen' },
    ...more,
  },
});

/** Kinds whose results are no sums over time, beside lifecycles. Members that one of them does not have are dropped. */
const WHOLE_QUERIES: object[] = [
  lifecycle(),
  lifecycle(),
  lifecycle({ properties: pro }),
  lifecycle({ aggregation_group_type_index: 0 }),
  { kind: 'StickinessQuery', series: [node('bought'), node('seen')] },
  { kind: 'StickinessQuery', series: [node('bought')], properties: pro, compareFilter: { compare: true } },
  { kind: 'FunnelsQuery', series: [node('bought'), node('seen')] },
  {
    kind: 'FunnelsQuery',
    series: [node('bought'), node('seen')],
    breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' },
  },
  { kind: 'FunnelsQuery', series: [node('bought'), { ...node('seen'), math: 'first_time_for_user' }] },
  { kind: 'PathsQuery', pathsFilter: {} },
  retention({}),
  retention({ retentionType: 'retention_first_time' }),
];

const person = fc.nat(PEOPLE - 1);

const VARIED = {
  intervals: ['hour', 'day', 'day', 'week', 'month'],
  timezones: ['UTC', 'UTC', 'Europe/Berlin', 'Asia/Kathmandu'],
  dateRanges: [
    { date_from: '-9d' },
    { date_from: '-3d' },
    { date_from: '2024-03-30', date_to: '2024-04-02', explicitDate: true },
  ] as object[],
  /** Of 200 events, those of people without a profile. */
  propertyless: 1,
};
/** The same question each time meets what was cached for it most often. */
const SAME = { intervals: ['day'], timezones: ['UTC'], dateRanges: [{ date_from: '-6d' }], propertyless: 1 };

/** What happens to a project, with questions between. `days`: how old events are at most. */
const steps = (queries: readonly object[], days: number, { intervals, timezones, dateRanges, propertyless }: typeof VARIED) => {
  const at = fc.nat(days * 24 * 4).map((quarter) => NOW - quarter * (DAY / 96));
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .array(
          fc.record({
            person,
            at,
            amount: fc.nat(5),
            event: fc.constantFrom('bought', 'bought', 'seen'),
            isPropertyless: fc.nat(199).map((number) => number < propertyless),
          }),
          { minLength: 1, maxLength: 12 },
        )
        .map((rows) => ({ do: 'capture' as const, rows })),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('merge' as const), from: person, into: person }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('profile' as const),
        person,
        plan: fc.constantFrom('pro', 'free'),
        at,
        isLate: fc.nat(9).map((number) => number === 0),
        isDeleted: fc.nat(4).map((number) => number === 0),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), person }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('retain' as const), days: fc.nat(days) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        query: fc.constantFrom(...queries),
        interval: fc.constantFrom(...intervals),
        timezone: fc.constantFrom(...timezones),
        dateRange: fc.constantFrom(...dateRanges),
      }),
    },
  );
  return fc.array(step, { minLength: 10, maxLength: 24 });
};

test.each([
  ['trends', QUERIES, 12, VARIED, null],
  // a question is many statements: without hours, and with more time for the first try
  [
    'trends, some intervals at a time,',
    QUERIES,
    12,
    { ...VARIED, intervals: VARIED.intervals.filter((one) => one !== 'hour') },
    2,
  ],
  ['other kinds', WHOLE_QUERIES, 12, VARIED, null],
  ['lifecycles', [lifecycle()], 4, SAME, null],
  ['lifecycles with people without a profile', [lifecycle()], 6, { ...SAME, propertyless: 120 }, null],
])(
  '%s from cached parts equal the results computed as a whole, whatever was stored, merged or deleted between',
  async (...of) => {
    const [, queries, days, variety, atOnce] = of;
    await fc.assert(
      fc.asyncProperty(steps(queries, days, variety), async (all) => {
        const it = project(atOnce);
        for (const [version, step] of all.entries()) {
          if (step.do === 'capture') await it.capture(step.rows);
          if (step.do === 'merge') await it.merge(step.from, step.into, version + 1);
          if (step.do === 'profile') await it.profile(step.person, step.plan, version + 1, step);
          if (step.do === 'remove') await it.remove(step.person);
          if (step.do === 'retain') await it.retain(step.days);
          if (step.do === 'ask') {
            const query = { ...step.query, interval: step.interval, dateRange: step.dateRange };
            expect(await it.cached(query, step.timezone)).toEqual(await it.whole(query, step.timezone));
          }
        }
      }),
      runs(atOnce === null ? 8 : 2),
    );
  },
);

test.each([
  ['', {}],
  ['of unique persons', { math: 'dau' }],
])('a late event has only the intervals from its day to the last changed one computed again %s', async (_, series) => {
  const it = project();
  await it.capture([1, 2, 3, 4, 5, 6].map((day) => ({ person: day - 1, at: NOW - day * DAY })));
  await it.cached(trend(series));
  it.daysRead();
  await it.cached(trend(series));
  expect(it.daysRead()).toEqual([]);
  await it.capture([
    { person: 1, at: NOW - 3 * DAY },
    { person: 2, at: NOW - 2 * DAY },
  ]);
  await it.cached(trend(series));
  expect(it.daysRead()).toEqual([[4, 2]]);
});

test('a merge has only the days of the merged person computed again', async () => {
  const it = project();
  await it.capture([1, 2, 3, 4, 5].map((day) => ({ person: day - 1, at: NOW - day * DAY })));
  await it.cached(trend({ math: 'dau' }));
  await it.merge(2, 0, 1);
  it.daysRead();
  await it.cached(trend({ math: 'dau' }));
  expect(it.daysRead()).toEqual([[4, 3]]);
});

test('a late event has only its interval of a lifecycle and the one after computed again', async () => {
  const it = project();
  await it.capture([1, 2, 3, 4, 5, 6].map((day) => ({ person: day - 1, at: NOW - day * DAY })));
  await it.cached(lifecycle());
  it.daysRead();
  await it.capture([{ person: 0, at: NOW - 4 * DAY }]);
  await it.cached(lifecycle());
  // with the interval before the first
  expect(it.daysRead()).toEqual([[6, 3]]);
});

test('a profile that changes has nothing of a lifecycle computed again, and a new one its own interval', async () => {
  const it = project();
  await it.capture([1, 2, 3].map((day) => ({ person: 1, at: NOW - day * DAY })));
  await it.profile(1, 'pro', 1, { at: NOW - 3 * DAY });
  await it.cached(lifecycle());
  it.daysRead();
  await it.profile(1, 'free', 2, { at: NOW - 3 * DAY });
  await it.cached(lifecycle());
  expect(it.daysRead()).toEqual([]);
  await it.profile(2, 'free', 3, { at: NOW - 2 * DAY });
  await it.cached(lifecycle());
  expect(it.daysRead()).toEqual([[4, 2]]);
});

test('among people without a profile a lifecycle is computed again from the day of an event on, and the first day of a profile that comes or goes', async () => {
  const it = project();
  const isPropertyless = true;
  await it.capture([1, 2, 3, 4, 5].map((day) => ({ person: day - 1, at: NOW - day * DAY, isPropertyless })));
  await it.cached(lifecycle());
  it.daysRead();
  await it.capture([{ person: 0, at: NOW - 2 * DAY, isPropertyless }]);
  await it.cached(lifecycle());
  expect(it.daysRead()).toEqual([[4, 0]]);
  for (const isDeleted of [false, true]) {
    await it.profile(3, 'pro', Number(isDeleted), { at: NOW - DAY, isDeleted });
    it.daysRead();
    expect(await it.cached(lifecycle())).toEqual(await it.whole(lifecycle()));
    expect(it.daysRead()[0]).toEqual([isDeleted ? 11 : 6, 0]);
  }
});

test.each([
  ['StickinessQuery', { series: [node('bought')] }],
  ['FunnelsQuery', { series: [node('bought'), node('seen')] }],
  ['PathsQuery', {}],
  ['RetentionQuery', { retentionFilter: { period: 'Day', totalIntervals: 5, targetEntity: entity, returningEntity: entity } }],
])('a range of %s is computed again when its events change, and not by others', async (kind, more) => {
  const it = project();
  const query = { kind, ...more, dateRange: { date_from: '-8d', date_to: '-4d' } };
  await it.capture([4, 5, 6].map((day) => ({ person: 1, at: NOW - day * DAY })));
  await it.cached(query);
  it.daysRead();
  await it.capture([{ person: 1, at: NOW }]);
  await it.cached(query);
  expect(it.daysRead()).toEqual([]);
  await it.capture([{ person: 1, at: NOW - 5 * DAY }]);
  expect(await it.cached(query)).toEqual(await it.whole(query));
  expect(it.daysRead()).not.toEqual([]);
});

test('the statement of a result of which nothing is read is given with all its intervals', async () => {
  const it = project();
  await it.capture([{ person: 1, at: NOW - 3 * DAY }]);
  await it.cached(trend({}));
  const parts = createIntervalParts(it.cache, {
    projectId: it.projectId,
    version: await events.store.dataVersion(it.projectId),
    now: NOW,
    workload: 'interactive',
  });
  await it.cached(trend({}), 'UTC', parts);
  const { count, statements } = parts.reused();
  expect(count).toBe(10);
  const [statement] = statements;
  expect(statement?.sql).toContain('from events');
  expect(Object.values(statement?.params ?? {})).toContain(NOW - (NOW % DAY) - 9 * DAY);
});

test('paths with too many names of steps are found by the second form at once when they are computed again', async () => {
  const it = project();
  const names = Array.from({ length: MOST_NAMES + 1 }, (_, index) => ({
    person: index % PEOPLE,
    at: NOW - index * 100,
    event: `step ${index}`,
  }));
  await it.capture(names);
  const paths = { kind: 'PathsQuery', pathsFilter: { includeEventTypes: ['custom_event'] }, dateRange: { date_from: '-1d' } };
  const first = await it.cached(paths);
  expect(it.daysRead()).toHaveLength(2);
  expect(await it.cached(paths)).toEqual(first);
  expect(it.daysRead()).toHaveLength(1);
  expect(first).toEqual(await it.whole(paths));
});

test('a range within a longer one uses its intervals', async () => {
  const it = project();
  await it.capture([{ person: 1, at: NOW - 3 * DAY }]);
  await it.cached(trend({}));
  it.daysRead();
  await it.cached({ ...trend({}), dateRange: { date_from: '-5d' } });
  expect(it.daysRead()).toEqual([]);
});

test('a day and the end of a month that a range cuts are different intervals of the same time', async () => {
  const it = project();
  await it.capture([{ person: 1, at: Date.UTC(2024, 2, 31, 12) }]);
  const dateRange = { date_from: '2024-03-31', date_to: '2024-04-02', explicitDate: true };
  await it.cached({ ...trend({}), dateRange });
  const byMonth = { ...trend({}), dateRange, interval: 'month' };
  expect(await it.cached(byMonth)).toEqual(await it.whole(byMonth));
});

test('a statement that takes long reads some intervals at a time, and none between that are unchanged', async () => {
  const it = project(2);
  await it.capture([1, 2, 3, 4, 5, 6, 7].map((day) => ({ person: 1, at: NOW - day * DAY })));
  await it.cached(trend({ math: 'dau' }));
  expect(it.daysRead().map(([from]) => from)).toEqual([2, 4, 6, 8, 10]);
  await it.capture([7, 1].map((day) => ({ person: 2, at: NOW - day * DAY })));
  expect(await it.cached(trend({ math: 'dau' }))).toEqual(await it.whole(trend({ math: 'dau' })));
  expect(it.daysRead()).toEqual([
    [3, 1],
    [8, 7],
  ]);
});

test('a number over points that did not change is not read again', async () => {
  const it = project();
  const number = (series: object) => trend(series, { trendsFilter: { display: 'BoldNumber' } });
  await it.capture([1, 2, 3].map((day) => ({ person: day, at: NOW - day * DAY })));
  await it.cached(trend({}));
  it.daysRead();
  expect(await it.cached(number({}))).toEqual(await it.whole(number({})));
  // the line by day has read its points, which add up to it
  expect(it.daysRead()).toEqual([]);
});

test('intervals of a computation that failed are not cached', async () => {
  const it = project();
  await it.capture([{ person: 1, at: NOW - 3 * DAY }]);
  const { query } = it.store;
  it.store.query = () => Promise.reject(new EventsUnavailable('away'));
  await expect(it.cached(trend({}))).rejects.toBeInstanceOf(EventsUnavailable);
  it.store.query = query;
  expect(await it.cached(trend({}))).toEqual(await it.whole(trend({})));
});

test('two results that need the same intervals at once read them once', async () => {
  const it = project(100);
  await it.capture([1, 2, 3].map((day) => ({ person: day, at: NOW - day * DAY })));
  const results = await Promise.all([1, 2].map(() => it.cached(trend({ math: 'dau' }))));
  expect(it.daysRead()).toHaveLength(1);
  const whole = await it.whole(trend({ math: 'dau' }));
  expect(results).toEqual([whole, whole]);
});
