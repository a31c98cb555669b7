import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createScheduler, systemClock } from '../../adapters/system/index.js';
import { createCaches } from '../../caches/index.js';
import type { Db } from '../../ports/db.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { testProject } from '../../testing/people.js';
import { createGroupTypes, type GroupTypes } from './group-types.js';
import { type GroupTask, resolveGroups } from './resolve.js';

let database: TestDatabase;
let db: Db;
/** Another server on the same database. */
let other: Db;
beforeAll(async () => {
  database = await testDatabase();
  db = database.db;
  other = database.asOtherServer();
});
afterAll(() => database.close());

const T0 = 1_700_000_000_000;
const caches = new Map<Db, GroupTypes>();
const resolve = (tasks: GroupTask[], server = db) => {
  const groupTypes = caches.get(server) ?? createGroupTypes(createCaches(systemClock));
  caches.set(server, groupTypes);
  return resolveGroups({ db: server, clock: systemClock, scheduler: createScheduler(), services: { groupTypes } }, tasks);
};
const member = (projectId: number, memberships: Record<string, string>): GroupTask => ({
  projectId,
  timestamp: T0,
  memberships,
  identify: null,
});
const identify = (
  projectId: number,
  key: string,
  set: NonNullable<GroupTask['identify']>['set'],
  type = 'company',
): GroupTask => ({
  ...member(projectId, {}),
  identify: { type, key, set },
});
const typesOf = async (projectId: number) =>
  (await db.selectFrom('group_types').selectAll().where('project_id', '=', projectId).orderBy('group_type_index').execute()).map(
    (row) => row.group_type,
  );
const groupsOf = (projectId: number) => db.selectFrom('groups').selectAll().where('project_id', '=', projectId).execute();

describe('group types', () => {
  test('new types get the next of five indexes, and a sixth is ignored', async () => {
    const projectId = await testProject(db);
    const { resolved: answers, groups } = await resolve([
      member(projectId, { company: 'acme', team: 'red' }),
      member(projectId, { team: 'blue', a: '1', b: '2', c: '3', d: '4' }),
      identify(projectId, 'x', { n: 1 }, 'd'),
      member(projectId, {}),
    ]);
    expect(answers).toEqual([
      ['acme', 'red', '', '', ''],
      ['', 'blue', '1', '2', '3'],
      ['', '', '', '', ''],
      ['', '', '', '', ''],
    ]);
    expect(groups).toEqual([]);
    expect(await typesOf(projectId)).toEqual(['company', 'team', 'a', 'b', 'c']);
    expect(await groupsOf(projectId)).toEqual([]);
  });

  test('each project has its own', async () => {
    const [one, two] = [await testProject(db), await testProject(db)];
    const { resolved: answers } = await resolve([member(one, { a: '1', b: '2' }), member(two, { b: '3', a: '4' })]);
    expect(answers.map((answer) => answer.slice(0, 2))).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
  });

  test('two servers that add types concurrently get the same indexes', async () => {
    const projectId = await testProject(db);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const batches = await Promise.all(
      names.flatMap((_, i) =>
        [db, other].map((server) => resolve([member(projectId, { [names[i] ?? '']: names[i] ?? '' })], server)),
      ),
    );
    const types = await typesOf(projectId);
    expect(types).toHaveLength(5);
    for (const batch of batches)
      for (const key of batch.resolved[0] ?? []) if (key) expect(types[batch.resolved[0]?.indexOf(key) ?? 9]).toBe(key);
    const again = await resolve(
      names.map((name) => member(projectId, { [name]: name })),
      other,
    );
    for (const [i, name] of names.entries()) expect(again.resolved[i]?.indexOf(name)).toBe(types.indexOf(name));
  });

  test('types of a project that was just deleted are ignored', async () => {
    const gone = await testProject(db);
    await resolve([member(gone, { known: 'x' })]);
    await db.deleteFrom('projects').where('id', '=', gone).execute();
    const { resolved: answers, groups } = await resolve([
      identify(gone, 'k', {}, 'new'),
      identify(gone, 'k', {}, 'known'),
      member(gone, { other: 'x' }),
    ]);
    expect({ groups, last: answers[2] }).toEqual({ groups: [], last: ['', '', '', '', ''] });
  });
});

describe('$groupidentify', () => {
  test('it creates the group, merges properties, and returns the rows for the event store', async () => {
    const projectId = await testProject(db);
    const first = await resolve([identify(projectId, 'acme', { a: 1, b: 1 }), identify(projectId, 'acme', { b: 2 })]);
    expect(first.groups).toMatchObject([
      { project_id: projectId, group_type_index: 0, group_key: 'acme', properties: { a: 1, b: 2 }, created_at: T0 },
    ]);
    const second = await resolve([identify(projectId, 'acme', { c: 3 }), identify(projectId, 'new', {})], other);
    expect(second.groups.map(({ group_key, properties }) => [group_key, properties]).sort()).toEqual([
      ['acme', { a: 1, b: 2, c: 3 }],
      ['new', {}],
    ]);
    expect(second.groups.find((row) => row.group_key === 'acme')?.version).toBe((first.groups[0]?.version ?? 0) + 1);
    const notes = await db.selectFrom('analytics_outbox').selectAll().where('id', 'in', second.outboxIds).execute();
    expect(notes.map(({ kind, key }) => [kind, key]).sort()).toEqual([
      ['group', '0:acme'],
      ['group', '0:new'],
    ]);
    expect(await resolve([identify(projectId, 'acme', { c: 3 })])).toMatchObject({ groups: [], outboxIds: [] });
  });

  test('concurrent changes by two servers lose no property', async () => {
    const projectId = await testProject(db);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        resolve(
          [identify(projectId, 'x', { [`p${n}`]: n }), identify(projectId, n % 3 ? 'y' : 'w', {})].sort(() => (n % 2 ? 1 : -1)),
          n % 2 ? db : other,
        ),
      ),
    );
    const groups = await groupsOf(projectId);
    expect(groups.map((group) => group.group_key).sort()).toEqual(['w', 'x', 'y']);
    expect(Object.keys(groups.find((group) => group.group_key === 'x')?.group_properties ?? {})).toHaveLength(20);
  });

  test('a group that PostgreSQL refuses is skipped, and the size of a group is limited', async () => {
    const projectId = await testProject(db);
    const big = 'x'.repeat(300_000);
    const { groups } = await resolve([
      identify(projectId, 'k\0\ud800'.repeat(400), { 'a\0': '\ud800' }, 't\0'.repeat(3000)),
      identify(projectId, 'big', { a: big }, 'u'),
      identify(projectId, 'big', { b: big, c: 1 }, 'u'),
    ]);
    expect(groups).toHaveLength(2);
    expect(groups.find(({ group_key }) => group_key === 'big')?.properties).toEqual({ a: big });
    expect((await resolve([identify(projectId, 'big', { b: big }, 'u')])).groups).toEqual([]);
    expect((await resolve([identify(projectId, 'big', { a: 1 }, 'u')])).groups[0]?.properties).toEqual({ a: 1 });
  });
});
