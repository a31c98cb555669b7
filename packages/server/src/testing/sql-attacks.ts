import { eventRow, type TestEvents, testEvents } from './events.js';

/*
 * Two projects with texts that only they have, and what people write who try to read the other's.
 */

/** When they ask; epoch milliseconds. */
export const SECRETS_AT = Date.UTC(2024, 0, 16);

const uuid = (project: number, number: number) => `0000000${project}-0000-4000-8000-00000000000${number}`;

/** Events, persons, groups and merges of the projects 1 and 2, whose texts begin with `secret1` and `secret2`. */
export async function projectsWithSecrets(): Promise<TestEvents> {
  const events = await testEvents();
  const projects = [1, 2].map((project) => rowsOf(project));
  // rows of both projects in one part: the engine reads them together
  await events.put(
    'events',
    projects.flatMap((rows) => rows.events),
  );
  await events.put(
    'persons',
    projects.flatMap((rows) => rows.persons),
  );
  await events.put(
    'groups',
    projects.flatMap((rows) => rows.groups),
  );
  await events.put(
    'person_overrides',
    projects.flatMap((rows) => rows.person_overrides),
  );
  return events;
}

function rowsOf(project: number) {
  const own = `secret${project}`;
  const one = { project_id: project, version: 1, created_at: SECRETS_AT, properties: { own, name: `${own} name` } };
  return {
    events: [0, 1, 2].map((number) =>
      eventRow(number + project * 10, {
        project_id: project,
        event: `${own} event`,
        distinct_id: `${own} ${number}`,
        person_id: uuid(project, number),
        group_0: own,
        properties: { own, amount: number, $session_id: `${own} session` },
      }),
    ),
    persons: [0, 1, 2].map((n) => ({ ...one, person_id: uuid(project, n), is_identified: true, is_deleted: false })),
    groups: [{ ...one, group_type_index: 0, group_key: own }],
    person_overrides: [{ project_id: project, distinct_id: `${own} 2`, person_id: uuid(project, 1), version: 1 }],
  };
}

/** Statements that are refused, and what the refusal names. */
export const REFUSED: [query: string, names: string][] = [
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
  ['select * from numbers((select 1))', 'not allowed at position 23'],
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
];

/** Statements that may be answered, and never with what is another project's. */
export const HARMLESS: string[] = [
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
];
