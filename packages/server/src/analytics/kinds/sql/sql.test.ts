import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors.js';
import { eventRow, type TestEvents, testEvents } from '../../../testing/events.js';
import { putSeeded, type SeededData, seededData } from '../../../testing/seeded-events.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';

let events: TestEvents;
const data: SeededData = seededData({ seed: 7, events: 800 });
beforeAll(async () => {
  events = await testEvents();
  await putSeeded(events, data);
  await putSeeded(events, seededData({ seed: 8, events: 300, projectId: 2 }));
});
afterAll(() => events.close());

const NOW = Date.UTC(2024, 3, 1, 12, 30);

const ask = async (query: string, more: object = {}, timezone = 'UTC') => {
  const parsed = querySchema.parse({ kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query, ...more } });
  return runQuery(events.store, parsed, { projectId: 1, timezone, now: NOW });
};
const rowsOf = async (query: string, more: object = {}, timezone = 'UTC') => (await ask(query, more, timezone)).results;
const refusal = async (query: string): Promise<string> => {
  const error = await ask(query).catch((thrown: unknown) => thrown);
  return error instanceof ApiError ? `${error.body.attr}: ${error.body.detail}` : `${error}`;
};

const countBy = <T>(items: readonly T[], key: (item: T) => unknown): unknown[][] => {
  const counts = new Map<string, [unknown, number]>();
  for (const item of items) {
    const value = key(item) ?? null;
    const entry = counts.get(JSON.stringify(value));
    if (entry) entry[1]++;
    else counts.set(JSON.stringify(value), [value, 1]);
  }
  return [...counts.values()].sort(([a], [b]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
};
const sorted = (rows: unknown) =>
  Array.isArray(rows) ? [...rows].sort(([a], [b]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : rows;
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.parseFloat(String(value)));

describe('columns are those of the events of the project', () => {
  test.each<[string, (event: SeededData['events'][number]) => unknown]>([
    ['event', ({ event }) => event],
    ['e.event', ({ event }) => event],
    ['distinct_id', (event) => event.distinct_id],
    ['person_id', (event) => data.personOf(event)],
    ['person.id', (event) => data.personOf(event)],
    ['properties.$browser', ({ properties }) => properties['$browser']],
    ["properties['$browser']", ({ properties }) => properties['$browser']],
    ['e.properties.`$browser`', ({ properties }) => properties['$browser']],
    ["JSONExtractString(properties, '$current_url')", ({ properties }) => properties['$current_url'] ?? ''],
    ['person.properties.plan', (event) => data.personProperties(data.personOf(event))['plan']],
    ['group_0.properties.tier', (event) => data.groupProperties(0, event.group_0)['tier']],
    ['$group_0', (event) => event.group_0],
    ['toDate(timestamp)', ({ timestamp }) => new Date(timestamp).toISOString().slice(0, 10)],
    ['properties.is_test = true', ({ properties }) => (properties['is_test'] === undefined ? null : 1)],
    [
      'properties.amount > 5',
      ({ properties: { amount } }) => (amount === undefined || amount === 'many' ? null : numberOf(amount) > 5 ? 1 : 0),
    ],
    ["properties.plan ?? 'none'", () => 'none'],
    ["event in ('bought', 'signed up')", ({ event }) => (event === 'bought' || event === 'signed up' ? 1 : 0)],
    ["event = 'bought' ? 'yes' : 'no'", ({ event }) => (event === 'bought' ? 'yes' : 'no')],
    ["case event when 'bought' then 1 else 2 end", ({ event }) => (event === 'bought' ? 1 : 2)],
    ["event not like '$%' and not event ilike 'BOU%'", ({ event }) => (event === 'signed up' ? 1 : 0)],
    ["event =~ '^b' || event !~* 'X'", () => '11'],
    [
      'properties.amount between 1 and 7',
      ({ properties: { amount } }) =>
        amount === undefined || amount === 'many' ? null : numberOf(amount) >= 1 && numberOf(amount) <= 7 ? 1 : 0,
    ],
  ])('%s', async (column, naive) => {
    const expression = column.includes('||') ? "concat(toString(event =~ '^b' or 1), toString(event !~* 'X'))" : column;
    const rows = await rowsOf(`select ${expression} as v, count() as c from events as e group by v`);
    expect(sorted(rows)).toEqual(countBy(data.events, naive));
  });
});

test('functions may have the names of keywords', async () => {
  expect(
    await rowsOf("select any(1), ANY ('a'), left('abc', 2), Right('abc', 1), array(1, 2), format('{}-{}', 'a', 'b')"),
  ).toEqual([[1, 'a', 'ab', 'c', [1, 2], 'a-b']]);
  const joined = 'select a.x, any(b.y) from (select 1 x) as a any left join (select 1 x, 2 y) as b on a.x = b.x group by a.x';
  expect(await rowsOf(joined)).toEqual([[1, 2]]);
});

test('conditions on time are in the time zone of the project', async () => {
  const between = (from: number, to: number) => data.events.filter(({ timestamp }) => timestamp >= from && timestamp < to).length;
  const hour = 3_600_000;
  const from = Date.UTC(2024, 2, 20) - hour;
  for (const condition of [
    "timestamp >= '2024-03-20' and timestamp < '2024-03-22 12:00:00'",
    "timestamp >= toDateTime('2024-03-20') and toDateTime('2024-03-22 12:00:00') > timestamp",
    "e.timestamp >= toDate('2024-03-20') and e.timestamp < toDate('2024-03-22') + interval 12 hour",
  ]) {
    const query = `select count() from events as e where ${condition}`;
    expect(await rowsOf(query, {}, 'Europe/Berlin')).toEqual([[between(from, from + 60 * hour)]]);
  }
  expect(await rowsOf('select now(), today(), yesterday()', {}, 'Asia/Tokyo')).toEqual([
    ['2024-04-01T12:30:00.000Z', '2024-04-01', '2024-03-31'],
  ]);
  const recent = data.events.filter(({ timestamp }) => timestamp > NOW - 7 * 24 * hour).length;
  expect(await rowsOf("select count() from events where timestamp > now() - interval '7 days'")).toEqual([[recent]]);
  expect(await rowsOf("select count() from events where timestamp > dateAdd('day', -7, now())")).toEqual([[recent]]);
});

test('{filters} stands for the filters of the request', async () => {
  const filters = {
    dateRange: { date_from: '2024-03-20', date_to: '2024-03-25' },
    properties: [{ key: '$browser', operator: 'exact', value: 'Chrome' }],
  };
  const [from, to] = [Date.UTC(2024, 2, 20), Date.UTC(2024, 2, 26)];
  const isInRange = ({ timestamp, properties }: SeededData['events'][number]) =>
    timestamp >= from && timestamp < to && properties['$browser'] === 'Chrome';
  const parsed = data.events.filter(isInRange).length;
  expect(await rowsOf('select count() from events where {filters}', { filters })).toEqual([[parsed]]);
  expect(await rowsOf("select count() from events where {filters} and event != ''", { filters })).toEqual([[parsed]]);
  expect(await rowsOf('select countIf({filters}) from events', { filters })).toEqual([[parsed]]);
  expect(await rowsOf('select count() from events where not {filters}', { filters })).toEqual([[data.events.length - parsed]]);
  expect(await rowsOf('select count() from events where {filters}')).toEqual([[data.events.length]]);
  expect(await refusal('select count() from persons where {filters}')).toBe(
    'query__query: {filters} needs a select from events.',
  );
});

test('named values are bound', async () => {
  const values = { text: "it's", number: -1.5, list: ['bought', 'other'], nothing: null, yes: true };
  const variables = { x: { code_name: 'event', value: 'bought' } };
  const query =
    'select {text}, {number}, {nothing}, {yes}, countIf(event in {list}), countIf(event = {variables.event}) from events limit {rows}';
  const bought = data.events.filter(({ event }) => event === 'bought').length;
  expect(await rowsOf(query, { values: { ...values, rows: 3 }, variables })).toEqual([
    ["it's", -1.5, null, true, bought, bought],
  ]);
});

test('tables can be joined, aliased and nested', async () => {
  const people = new Set(data.events.map(data.personOf));
  expect(
    await rowsOf('select count(), sum(events) from (select person_id, count() as events from events group by person_id)'),
  ).toEqual([[people.size, data.events.length]]);
  const pros = [...people].filter((id) => data.personProperties(id)['plan'] === 'pro');
  const ofPros = data.events.filter((event) => pros.includes(data.personOf(event))).length;
  for (const query of [
    "select count() from events where person_id in (select id from persons where properties.plan = 'pro')",
    "with pros as (select id from persons where properties.plan = 'pro') select count() from events where person_id in pros",
    "select count() from events as e join persons as p on p.id = e.person_id where p.properties.plan = 'pro'",
    "with 'pro' as plan select count() from events where person.properties.plan = plan",
    "with a as (select properties, person.properties.plan as plan from events), b as (select * from a) select countIf(b.plan = 'pro') from b",
  ]) {
    expect([query, await rowsOf(query)]).toEqual([query, [[ofPros]]]);
  }
  expect(await rowsOf('select key, properties.tier from groups order by key')).toEqual([
    ['acme', 'gold'],
    ['globex', 'silver'],
    ['initech', 'silver'],
  ]);
  const sessions = countBy(
    data.events.filter(({ properties }) => properties['$session_id']),
    ({ properties }) => properties['$session_id'],
  );
  expect(sorted(await rowsOf('select session_id, $event_count from sessions limit 10000'))).toEqual(sessions);
});

describe('a condition on the times of sessions', () => {
  const at = (day: number, time: string) => Date.parse(`2024-03-0${day}T${time}:00Z`);
  beforeAll(async () => {
    const times: [string, number][] = [
      ['a', at(4, '23:50')],
      ['a', at(5, '00:05')],
      ['b', at(5, '12:00')],
      ['c', at(5, '23:55')],
      ['c', at(6, '00:10')],
    ];
    const rows = times.map(([session, timestamp], index) =>
      eventRow(9_000 + index, { project_id: 3, timestamp, properties: { $session_id: session } }),
    );
    await events.put('events', rows);
  });

  test.each([
    ["$start_timestamp >= '2024-03-05'", ['b 0', 'c 900']],
    ["'2024-03-05' <= $start_timestamp and $start_timestamp < '2024-03-05 13:00:00'", ['b 0']],
    ["$start_timestamp < '2024-03-05'", ['a 900']],
    ["$start_timestamp = '2024-03-04 23:50:00'", ['a 900']],
    ["$end_timestamp < '2024-03-05 01:00:00'", ['a 900']],
    ["s.$end_timestamp > toDateTime('2024-03-06 00:00:00')", ['c 900']],
    ["$start_timestamp >= toDate('2024-03-05') and $end_timestamp <= toDate('2024-03-06')", ['b 0']],
    ['$start_timestamp >= now() - interval 27 day', ['c 900']],
  ])('%s holds for whole sessions, and limits the events that are read', async (where, expected) => {
    const query = `select session_id, $session_duration from sessions as s where ${where} order by session_id`;
    const parsed = querySchema.parse({ kind: 'HogQLQuery', query });
    const statements: string[] = [];
    const store: typeof events.store = {
      ...events.store,
      query: (statement) => {
        statements.push(statement.sql);
        return events.store.query(statement);
      },
    };
    const answer = await runQuery(store, parsed, { projectId: 3, timezone: 'UTC', now: NOW });
    const { results } = answer as { results: unknown[][] };
    expect(results.map((row) => row.join(' '))).toEqual(expected);
    expect(statements.join()).toMatch(/e\.timestamp(, .*?\))? [<>]=/);
  });
});

test('rows have pages', async () => {
  expect(await ask('select 1 as one')).toMatchObject({
    results: [[1]],
    columns: ['one'],
    types: [['one', 'UInt8']],
    hogql: 'select 1 as one',
    hasMore: false,
    limit: 100,
    offset: 0,
  });
  const paged = async (query: string, more: object = {}) => {
    const { results, ...rest } = await ask(query, more);
    return { ...rest, rows: Array.isArray(results) ? results.length : -1 };
  };
  expect(await paged('select number from numbers(1000)')).toMatchObject({ rows: 100, hasMore: true, limit: 100 });
  expect(await paged('select number from numbers(1000) limit 999')).toMatchObject({ rows: 999, hasMore: true, limit: 999 });
  expect(await paged('select number from numbers(1000) limit 10 offset 995')).toMatchObject({
    rows: 5,
    hasMore: false,
    offset: 995,
  });
  expect(await paged('select number from numbers(100000) limit 50000')).toMatchObject({
    rows: 10_000,
    hasMore: true,
    limit: 10_000,
  });
  expect(await paged('select number from numbers(100000)', { limit: 50_000 })).toMatchObject({ rows: 50_000, hasMore: true });
  expect(await rowsOf('select number from numbers(9) order by number desc limit 5', { limit: 2, offset: 2 })).toEqual([[6], [5]]);
  expect(await paged('select number from numbers(500) union all select 1')).toMatchObject({ rows: 100, hasMore: true });
});

test('columns may have the same name, and any name', async () => {
  const answer = await ask('select 1 as a, 2 as a, 3 as `{x:String} ``"\\\\`, 4 as "ä 💥", event from events limit 1');
  expect(answer).toMatchObject({
    columns: ['a', 'a_2', '{x:String} `"\\', 'ä 💥', 'event'],
    results: [[1, 2, 3, 4, expect.any(String)]],
  });
});

test.each([
  ['select sum(event) from events', 'Illegal type String'],
  ['select toInt64(distinct_id) from events', 'cannot be read'],
  ['select event, count() from events', 'not under aggregate function'],
  ["select match(event, '(') from events", 'regular expression'],
  ['select id from persons as a, persons as b', 'in more than one table'],
  ["select repeat('x', 1000000000)", 'memory'],
])('%s: the error has the reason', async (query, why) => {
  const detail = await refusal(query);
  expect(detail).toContain(why);
  expect(detail).not.toMatch(/`?u:|d\d+'|s\d\./);
});
