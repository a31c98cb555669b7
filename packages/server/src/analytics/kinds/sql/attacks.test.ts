import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors.js';
import { onTwoShards } from '../../../testing/cluster-databases.js';
import type { TestEvents } from '../../../testing/events.js';
import { runs } from '../../../testing/runs.js';
import { HARMLESS, projectsWithSecrets, REFUSED, SECRETS_AT } from '../../../testing/sql-attacks.js';
import { createExecute } from '../../execute.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import { own, sql } from '../../sql/fragment.js';

/*
 * Two projects with texts that only they have, and people who try to read the other's.
 */

let events: TestEvents;
const NOW = SECRETS_AT;

beforeAll(async () => {
  events = await projectsWithSecrets();
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

describe('tables and functions outside of the project are refused by name', () => {
  test.each(REFUSED)('%s', async (query, names) => {
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

  test.each(HARMLESS)('%s causes no harm', async (query) => {
    expect(await ask(query)).not.toContain('secret2');
  });

  test('a value is never parsed as SQL', async () => {
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
])('no error reveals rows of other projects: %s', async (query) => {
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

test('two projects never see each other’s rows', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(query, async (statement) => {
      const answers = await Promise.all([ask(statement, 1), ask(statement, 2)]);
      // a text that the query itself holds can be in the answer of both, in no column that is read
      expect(answers[0]).not.toMatch(/secret2 (event|session|name|\d)|00000002-/);
      expect(answers[1]).not.toMatch(/secret1 (event|session|name|\d)|00000001-/);
      if (answers[0].includes('secret1 ') && answers[1].includes('secret2 ')) answered++;
    }),
    runs(80),
  );
  expect(answered).toBeGreaterThan(onTwoShards() ? 0 : 4);
});

test('the engine itself filters rows of other projects', async () => {
  const { store } = events;
  const projects = async (table: string) => {
    const statement = sql`select distinct project_id as project from ${own(table)}`;
    return (await createExecute(store, 1).userSql(statement, { projectId: 1, timezone: 'UTC' })).rows;
  };
  const { rows: names } = await store.query<{ name: string }>({ sql: 'select currentDatabase() as name' });
  for (const table of ['events', `${names[0]?.name}.events`, 'persons final', 'groups', 'person_overrides']) {
    expect([table, await projects(table)]).toEqual([table, [{ project: 1 }]]);
  }
  // on a cluster a shard's own tables have names of their own, and it has some of the rows
  for (const table of store.rowFilterTables) {
    const others = (await projects(table)).filter(({ project }) => project !== 1);
    expect([table, others]).toEqual([table, []]);
  }
});
