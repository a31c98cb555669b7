import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors.js';
import { eventRow, type TestEvents, testEvents } from '../../../testing/events.js';
import { executor } from '../../execute.js';
import { querySchema } from '../../query-schema.js';
import { runQuery } from '../../run.js';
import { sql } from '../../sql/fragment.js';

/*
 * Two projects with texts that only they have, and people who try to read the other's.
 */

let events: TestEvents;
const uuid = (project: number, number: number) => `0000000${project}-0000-4000-8000-00000000000${number}`;
const NOW = Date.UTC(2024, 0, 16);

beforeAll(async () => {
  events = await testEvents();
  for (const project of [1, 2]) {
    const own = `secret${project}`;
    const one = { project_id: project, version: 1, created_at: NOW, properties: { own, name: `${own} name` } };
    await events.put(
      'events',
      [0, 1, 2].map((number) =>
        eventRow(number + project * 10, {
          project_id: project,
          event: `${own} event`,
          distinct_id: `${own} ${number}`,
          person_id: uuid(project, number),
          group_0: own,
          properties: { own, amount: number, $session_id: `${own} session` },
        }),
      ),
    );
    await events.put(
      'persons',
      [0, 1, 2].map((n) => ({ ...one, person_id: uuid(project, n), is_identified: true, is_deleted: false })),
    );
    await events.put('groups', [{ ...one, group_type_index: 0, group_key: own }]);
    await events.put('person_overrides', [
      { project_id: project, distinct_id: `${own} 2`, person_id: uuid(project, 1), version: 1 },
    ]);
  }
});
afterAll(() => events.close());

/** The answer, or why there is none. */
async function ask(query: string, projectId = 1, more: object = {}): Promise<string> {
  const read = querySchema.safeParse({ kind: 'HogQLQuery', query, ...more });
  if (!read.success) return `refused: ${read.error.issues[0]?.message}`;
  try {
    const { results } = await runQuery(events.store, read.data, { projectId, timezone: 'UTC', now: NOW });
    return JSON.stringify(results);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_input') return `refused: ${error.body.detail}`;
    throw error;
  }
}

describe('what is not of the project is refused by its name', () => {
  test.each<[string, string | RegExp]>([
    // other tables
    ['select * from system.tables', 'system.tables'],
    ['select * from `system`.`tables`', 'system.tables'],
    ['select * from "system" . "parts"', 'system.parts'],
    ['select * from information_schema.tables', 'information_schema'],
    ['select * from tidemark.events', 'tidemark.events'],
    ['select * from person_overrides', 'person_overrides'],
    ['select * from schema_migrations', 'schema_migrations'],
    ['select * from `tidemark.events`', 'not a table'],
    ['select * from `events\\`; drop table events`', 'not a table'],
    ['select * from "ev\\x65nts2"', '"events2"'],
    ['select * from EVENTS', '"EVENTS"'],
    ['select (select count() from system.one)', 'system.one'],
    ['with a as (select * from system.users) select * from a', 'system.users'],
    ['select 1 union all select name from system.databases', 'system.databases'],
    ['select 1 where 1 in system.one', 'in'],
    ['select 1 where 1 in (select * from system.one)', 'system.one'],
    ['select 1 in events', 'needs a list'],
    ['select event from events join system.parts on 1', 'system.parts'],
    ['select event from events, system.parts', 'system.parts'],
    ['select * from events as system.parts', '"."'],
    ['table events', '"table"'],
    // table functions
    ["select * from url('http://127.0.0.1/', CSV)", 'url'],
    ["select * from file('/etc/passwd')", 'file'],
    ["select * from `file`('/etc/passwd')", 'file'],
    ["select * from s3('http://127.0.0.1/a')", 's3'],
    ["select * from remote('127.0.0.1', system.one)", 'remote'],
    ["select * from cluster('default', system.one)", 'cluster'],
    ["select * from merge('tidemark', '.*')", 'merge'],
    ["select * from mysql('127.0.0.1', 'a', 'b', 'c', 'd')", 'mysql'],
    ["select * from postgresql('127.0.0.1', 'a', 'b', 'c', 'd')", 'postgresql'],
    ["select * from executable('id', TSV, 'a String')", 'executable'],
    ["select * from input('a String')", 'input'],
    ["select * from dictionary('a')", 'dictionary'],
    ["select * from generateRandom('a String')", 'generateRandom'],
    ["select * from values('a String', 'b')", 'values'],
    ['select * from view(select * from system.one)', 'view'],
    ['select * from viewIfPermitted(select 1 else null)', 'viewIfPermitted'],
    ['select * from zeros(10)', 'zeros'],
    ['select * from numbers(100000000)', '1000000 numbers'],
    ['select * from numbers((select 1))', 'not allowed there'],
    ["select * from sqlite('/etc/passwd', 'a')", 'sqlite'],
    ["select * from fuzzJSON('a')", 'fuzzJSON'],
    ['select * from loop(events)', 'loop'],
    // functions
    ["select dictGet('a', 'b', 1)", 'dictGet'],
    ["select joinGet('tidemark.events', 'event', 1)", 'joinGet'],
    ["select getSetting('readonly')", 'getSetting'],
    ["select getMacro('a')", 'getMacro'],
    ['select evalMLMethod(1, 2)', 'evalMLMethod'],
    ["select catboostEvaluate('/a', 1)", 'catboostEvaluate'],
    ["select file('/etc/passwd')", 'file'],
    ['select sleep(3)', 'sleep'],
    ['select sleepEachRow(3) from numbers(100)', 'sleepEachRow'],
    ['select throwIf(1)', 'throwIf'],
    ['select hostName(), version(), currentUser()', 'hostName'],
    ['select currentDatabase()', 'currentDatabase'],
    ["select hasColumnInTable('tidemark', 'events', 'event')", 'hasColumnInTable'],
    ["select arrayReduce('sum', [1])", 'arrayReduce'],
    ["select arrayMap(x -> file('/etc/passwd'), [1])", 'file'],
    ['select `file`(1)', 'not a function'],
    ['select FiLe(1)', 'FiLe'],
    ['select toString(initializeAggregation(1))', 'initializeAggregation'],
    ["select addressToLine(1), demangle('a')", 'addressToLine'],
    ['select sumState(1)', 'sumState'],
    ["select reinterpret(1, 'String')", 'reinterpret'],
    ['select constructor(1)', 'constructor'],
    ['select __proto__(1)', '__proto__'],
    ["select encrypt('aes-256-gcm', 'a', 'b', 'c')", 'encrypt'],
    ['select quantile(sleep(1))(1)', 'may hold numbers'],
    ['select count() over (order by sleep(1)) from events', 'sleep'],
    // what else statements have
    ['select 1 settings readonly = 0', 'settings'],
    ['select 1 format CSV', 'format'],
    ["select 1 into outfile '/tmp/a'", 'into'],
    ['select 1; select 2', 'select'],
    ['select 1;; ', ';'],
    ['insert into events select 1', 'insert'],
    ['drop table events', 'drop'],
    ['alter table events delete where 1', 'alter'],
    ['set readonly = 0', 'set'],
    ['system flush logs', 'system'],
    ['explain select 1', 'explain'],
    ['show tables', 'show'],
    ['kill query where 1', 'kill'],
    ['select * from events final', 'final'],
    ['select * from events sample 0.1', 'sample'],
    ['with recursive a as (select 1 union all select * from a) select * from a', 'recursive'],
    ['with a as (select * from a) select * from a', '"a"'],
    ['select * except (event) from events', '"event"'],
    ["select columns('.*') from events", 'columns'],
    ['select 1 # comment', 'position 10'],
    [`select ${'/*a'.repeat(6000)}${'b'.repeat(80_000)}`, 'The comment at position 8 does not end'],
    ['select {p:Identifier}', 'not allowed'],
    ['select * from {t:Identifier}', 'not allowed'],
    ['select * from {t}', 'not allowed'],
    ['select {unset}', 'unset'],
    ['select {filters.dateRange.from}', 'filters.dateRange.from'],
    ["select 'open", 'position 8'],
    ['select /* open', 'The comment at position 8 does not end'],
    ['select \u0000', 'Null characters'],
    ["select '\\0'", 'Null characters'],
    ['select @@version', 'position 8'],
    ['select $$file$$', '$$file$$'],
    // columns that tables have for themselves
    ['select project_id from events', 'project_id'],
    ['select e.project_id from events as e', 'project_id'],
    ['select _table, _part from events', '_table'],
    ['select `u:event` from events', 'u:event'],
    ['select s0.event from events', 's0.event'],
    ['select is_deleted, version from persons', 'is_deleted'],
    ['select `e.event` from events', 'e.event'],
    ['select `*` from events', '"*"'],
    ['select (select o.event) from events as o', 'o.event'],
    ["select cast('a' as AggregateFunction(sum, Int8))", 'AggregateFunction'],
    ["select cast('a' as Object('json'))", 'Object'],
    ['select 1::Variant(String)', 'Variant'],
  ])('%s', async (query, names) => {
    const answer = await ask(query);
    expect(answer).toMatch(/^refused: /);
    expect(answer).toContain(names);
  });

  const pairs = Array.from(
    { length: 30 },
    (_, i) => `a${i} as (select 1 from ${i ? `a${i - 1} as x, a${i - 1} as y` : 'events'})`,
  );
  test.each<[string, string, string]>([
    ['brackets', `select ${'('.repeat(5000)}1`, 'levels'],
    ['signs', `select ${' - '.repeat(5000)}1`, 'levels'],
    ['terms', `select ${'1+'.repeat(5000)}1`, 'long'],
    ['negations', `select ${'not '.repeat(5000)}1`, 'levels'],
    ['lists', `select ${'['.repeat(5000)}1`, 'levels'],
    ['columns', `select 1${',1'.repeat(40000)}`, 'long'],
    ['selects', `select 1${' union all select 1'.repeat(5000)}`, 'long'],
    ['named selects', `with ${pairs.join()} select * from a29`, 'long'],
  ])('too many %s', async (_, query, names) => {
    expect(await ask(query)).toContain(`refused: `);
    expect(await ask(query)).toContain(names);
  });

  test.each([
    // names that are those of tables, or would end them
    "with events as (select 'mine' as event) select event from events",
    'select event as project_id from events where project_id != 2',
    'select 2 as project_id, event from events',
    'with 2 as project_id select event from events',
    'select event as `a\\` from tidemark.events as \\`b` from events',
    'select event as "x\\" from system.one --" from events',
    "select 'it''s', '\\', (select 1) --' from events",
    "select event from events where event = 'x' or 1 = 1 -- and project_id = 1",
    'select event from events where 1 or 1 /* ) or project_id = 2 */',
    'select e.event from persons as e2 right join events as e on 1 = 1',
    'select e.event from events as e full join events as f on e.distinct_id = f.distinct_id',
    'select e.properties.own, f.properties.own from events as e cross join persons as f',
    'select properties.`own\\` from tidemark.events --` from events',
    "select properties['own\\'] from tidemark.events --'] from events",
    'select person.properties.own, group_0.properties.own from events where true or false',
    'select * from events union all select * from events',
    'select * from (select * from (select * from events))',
    'select arrayJoin(groupArray(event)) from events',
    'select event from events array join [1, 2] as project_id',
    'select arrayMap(project_id -> project_id + 1, [1]) from events',
    'select event from events group by event with_totals',
    'select * from groups',
    'select * from sessions',
    'select * from persons',
  ])('%s does no harm', async (query) => {
    expect(await ask(query)).not.toContain('secret2');
  });

  test('a value stays a value', async () => {
    const value = "x') or 1 = 1 --";
    expect(
      await ask('select {v} as v, {variables.w}', 1, { values: { v: value }, variables: { id: { code_name: 'w', value } } }),
    ).toBe(JSON.stringify([[value, value]]));
  });
});

test.each([
  "select intDiv(1, distinct_id != 'secret2 0') from events",
  "select event from events where intDiv(1, distinct_id != 'secret2 0') = 1",
  "select event from events where intDiv(1, distinct_id != 'secret2 0') = 1 and timestamp > '2020-01-01'",
  "select id from persons where intDiv(1, properties.own != 'secret2') = 1",
  "select key from groups where intDiv(1, key != 'secret2') = 1",
  "select event from events where event != '' and intDiv(1, distinct_id != 'secret2 0') = 1 and {filters}",
  "select e.event from events as e join persons as p on intDiv(1, p.properties.own != 'secret2') = 1 and p.id = e.person_id",
  "select session_id from sessions where intDiv(1, session_id != 'secret2 session') = 1",
])('no failure tells of rows of others: %s', async (query) => {
  // all in one part, where the engine reads rows of both projects together
  expect(await ask(query)).toContain(
    query.startsWith('select id') ? '00000001' : query.startsWith('select intDiv') ? '[1]' : 'secret1',
  );
  // the same trick does work on rows of one's own
  expect(await ask(query, 2)).toMatch(/refused: .*divides by zero/);
});

const column = fc.constantFrom(
  'event',
  'distinct_id',
  'person_id',
  'properties.own',
  "properties['own']",
  'person.properties.name',
  'group_0.properties.own',
  '$group_0',
  '$session_id',
  'properties',
  'toString(timestamp)',
  'properties.amount',
  'elements_chain',
);
const value = fc.constantFrom("'secret1'", "'secret2'", "''", '1', 'event', 'distinct_id', 'null', "'%'");
const test1 = fc.oneof(
  fc
    .tuple(column, fc.constantFrom('=', '!=', '<', '>', 'like', 'in'), value)
    .map(
      ([a, operator, b]) =>
        `toString(${a}) ${operator} (${b === '1' || b === 'null' ? "'1'" : b === 'event' || b === 'distinct_id' ? `toString(${b})` : b})`,
    ),
  fc.constantFrom(
    '1',
    'true or false',
    'event is not null',
    'person_id in (select id from persons)',
    'distinct_id in (select distinct_id from events)',
  ),
);
const where = fc
  .array(fc.tuple(test1, fc.constantFrom('and', 'or', 'and not', 'or not')), { maxLength: 4 })
  .map((tests) => tests.reduce((all, [one, how]) => `${all} ${how} (${one})`, '1'));
const rows: fc.Arbitrary<string> = fc.letrec<{ select: string; from: string }>((tie) => ({
  select: fc
    .tuple(fc.array(column, { minLength: 1, maxLength: 3 }), tie('from'), where, fc.constantFrom('', 'order by 1', 'limit 5'))
    .map(
      ([columns, from, filter, tail]) =>
        `select ${columns.map((one, index) => `toString(${one}) as c${index}`)} from ${from} where ${filter} ${tail}`,
    ),
  from: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('events', 'events as project_id', 'events as e', '(select * from events) as events'),
    fc
      .tuple(tie('select'), fc.constantFrom('persons', 'groups', 'sessions'))
      .map(
        ([inner, table]) =>
          `events as e ${table === 'groups' ? 'cross' : 'left'} join (select 1 as one from ${table}) as t ${table === 'groups' ? '' : 'on 1 = t.one'} join (select count() as n from (${inner})) as m on 1 = 1`,
      ),
  ),
})).select;
const query = fc.oneof(
  rows,
  fc.tuple(rows, rows).map(([a, b]) => `with a as (${a}) select c0 from a union all select c0 from (${b})`),
);

test('two projects never see rows of each other', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const answers = await Promise.all([ask(asked, 1), ask(asked, 2)]);
      // a text that the query itself holds can be in the answer of both, in no column that is read
      expect(answers[0]).not.toMatch(/secret2 (event|session|name|\d)|00000002-/);
      expect(answers[1]).not.toMatch(/secret1 (event|session|name|\d)|00000001-/);
      if (answers[0].includes('secret1 ') && answers[1].includes('secret2 ')) answered++;
    }),
    { numRuns: 80 },
  );
  expect(answered).toBeGreaterThan(4);
});

test('the engine itself leaves out rows of others', async () => {
  for (const table of [sql`events`, sql`tidemark.events`, sql`persons final`, sql`groups`, sql`person_overrides`]) {
    const { rows: found } = await executor(events.store, 1).authored(sql`select distinct project_id as project from ${table}`, {
      projectId: 1,
      timezone: 'UTC',
    });
    expect(found).toEqual([{ project: 1 }]);
  }
});
