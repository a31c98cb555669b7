import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createScheduler, systemClock } from '../../adapters/system/index.js';
import { createCaches } from '../../caches/index.js';
import type { Db } from '../../ports/db.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { backendOf, untilSomeoneWaits } from '../../testing/lock-waits.js';
import { identifyTask, personTask, testProject } from '../../testing/people.js';
import { createPropertyCache, type PropertyCache } from './load-persons.js';
import { type PersonTask, personUuid } from './person-task.js';
import { resolvePersons } from './resolve.js';

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

const caches = new Map<Db, PropertyCache>();
const resolve = (tasks: PersonTask[], server = db) => {
  const personProperties = caches.get(server) ?? createPropertyCache(createCaches({ now: () => 0 }));
  caches.set(server, personProperties);
  return resolvePersons({ db: server, clock: systemClock, scheduler: createScheduler(), services: { personProperties } }, tasks);
};

const personsOf = (projectId: number) => db.selectFrom('persons').selectAll().where('project_id', '=', projectId).execute();
const idsOf = (projectId: number) =>
  db.selectFrom('person_distinct_ids').selectAll().where('project_id', '=', projectId).orderBy('distinct_id').execute();
const noted = (projectId: number) => db.selectFrom('analytics_outbox').selectAll().where('project_id', '=', projectId).execute();

describe('a batch', () => {
  test('several projects have separate persons', async () => {
    const [one, two] = [await testProject(db), await testProject(db)];
    const { resolved: answers } = await resolve([
      personTask({ projectId: one, set: { a: 1 } }),
      personTask({ projectId: two, set: { a: 2 } }),
    ]);
    expect(answers.map(({ personId }) => personId)).toEqual([personUuid(one, 'ann'), personUuid(two, 'ann')]);
    expect((await personsOf(one))[0]?.properties).toEqual({ a: 1 });
    expect((await personsOf(two))[0]?.properties).toEqual({ a: 2 });
  });

  test('it returns every changed row for the event store, and none without a change', async () => {
    const projectId = await testProject(db);
    const tasks = [personTask({ projectId, distinctId: 'anon' }), personTask({ projectId, distinctId: 'ann', set: { a: 1 } })];
    await resolve(tasks);
    const { persons, overrides, outboxIds } = await resolve([identifyTask('ann', 'anon', { projectId })]);
    expect(persons.map(({ person_id, is_deleted }) => [person_id, is_deleted])).toEqual([
      [personUuid(projectId, 'ann'), false],
      [personUuid(projectId, 'anon'), true],
    ]);
    expect(overrides.map(({ distinct_id, person_id }) => [distinct_id, person_id])).toEqual([
      ['anon', personUuid(projectId, 'ann')],
    ]);
    const notes = (await noted(projectId)).filter(({ id }) => outboxIds.includes(id));
    expect(notes.map(({ kind, key, version }) => ({ kind, key, version }))).toEqual([
      ...persons.map(({ person_id, version }) => ({ kind: 'person', key: person_id, version })),
      ...overrides.map(({ distinct_id, version }) => ({ kind: 'distinct_id', key: distinct_id, version })),
    ]);
    expect(await resolve(tasks)).toMatchObject({ persons: [], overrides: [], outboxIds: [], warnings: [] });
  });

  test('merged persons stay in their static cohorts, and keep the values of flags', async () => {
    const projectId = await testProject(db);
    const people = ['ann', 'anon', 'old'].map((distinctId) => personTask({ projectId, distinctId }));
    await resolve(people);
    const numberOf = async (distinctId: string) =>
      (await idsOf(projectId)).find((row) => row.distinct_id === distinctId)?.person_id ?? 0;
    const times = { created_at: new Date(0), updated_at: new Date(0) };
    const lists = [1, 2].map((n) => ({ project_id: projectId, name: `list ${n}`, is_static: true, ...times }));
    const [one, two] = (await db.insertInto('cohorts').values(lists).returning('id').execute()).map(({ id }) => id);
    const [ann, anon, old] = [await numberOf('ann'), await numberOf('anon'), await numberOf('old')];
    const members = [
      { cohort_id: one ?? 0, person_id: anon },
      { cohort_id: two ?? 0, person_id: anon },
      { cohort_id: two ?? 0, person_id: ann },
      { cohort_id: two ?? 0, person_id: old },
    ];
    await db.insertInto('cohort_people').values(members).execute();
    const share = (person_id: number, flag_key: string, hash_key: string) => ({
      project_id: projectId,
      person_id,
      flag_key,
      hash_key,
    });
    const shares = [share(anon, 'a', 'anon'), share(anon, 'b', 'anon'), share(ann, 'b', 'ann')];
    await db.insertInto('feature_flag_hash_keys').values(shares).execute();
    const merges = [
      identifyTask('ann', 'anon', { projectId }),
      personTask({ projectId, distinctId: 'ann', merge: { source: 'old', force: true } }),
    ];
    await resolve(merges);
    const listed = await db.selectFrom('cohort_people').selectAll().orderBy('cohort_id').execute();
    expect(listed).toEqual([one, two].map((cohort_id) => ({ cohort_id, person_id: ann })));
    const stored = await db.selectFrom('feature_flag_hash_keys').selectAll().orderBy('flag_key').execute();
    expect(stored).toEqual([share(ann, 'a', 'anon'), share(ann, 'b', 'ann')]);
  });

  test('a person that PostgreSQL refuses does not fail the others', async () => {
    const projectId = await testProject(db);
    const odd = {
      'k\0': 'v\0',
      '\ud83d': '\udc00',
      n: 1e308,
      tiny: 5e-324,
      deep: JSON.parse('['.repeat(9000) + ']'.repeat(9000)),
    };
    const tasks = [
      personTask({ projectId, distinctId: 'a\0\ud800', set: odd }),
      identifyTask('bob', 'long '.repeat(2000), { projectId, setOnce: odd }),
      personTask({ projectId, distinctId: 'quote\'"\\{},NULL', set: { quote: '\'"\\{},NULL' } }),
      personTask({ projectId, distinctId: 'NULL', timestamp: -62_167_219_200_000 }),
    ];
    await resolve(tasks);
    expect((await idsOf(projectId)).map(({ distinct_id }) => distinct_id)).toHaveLength(5);
    const again = await resolve(tasks);
    expect(again).toMatchObject({ persons: [], overrides: [] });
    expect(again.resolved.map(({ mode }) => mode)).toEqual(['full', 'full', 'full', 'full']);
  });

  test('events of a project that was just deleted do not fail the others', async () => {
    const [gone, projectId] = [await testProject(db), await testProject(db)];
    await db.deleteFrom('projects').where('id', '=', gone).execute();
    const { resolved: answers } = await resolve([personTask({ projectId: gone }), personTask({ projectId })]);
    expect(answers.map(({ mode }) => mode)).toEqual(['propertyless', 'full']);
    expect(await personsOf(projectId)).toHaveLength(1);
  });

  test('a decision is repeated if another server changed the properties meanwhile', async () => {
    const projectId = await testProject(db);
    await resolve([personTask({ projectId, set: { a: 1 } })]);
    await resolve([personTask({ projectId, set: { a: 2 } })], other);
    await resolve([personTask({ projectId, set: { a: 1 } })]);
    await resolve([personTask({ projectId, set: { b: 1 } })], other);
    expect((await personsOf(projectId))[0]?.properties).toEqual({ a: 1, b: 1 });
  });
});

describe('two concurrent servers', () => {
  test('changes of the same person lose no property', async () => {
    const projectId = await testProject(db);
    const writes = Array.from({ length: 20 }, (_, n) =>
      resolve([personTask({ projectId, set: { [`p${n}`]: n } })], n % 2 ? db : other),
    );
    const batches = await Promise.all(writes);
    const [person, ...rest] = await personsOf(projectId);
    expect(rest).toEqual([]);
    expect(person?.properties).toEqual(Object.fromEntries(batches.map((_, n) => [`p${n}`, n])));
    const versions = batches.flatMap((batch) => batch.persons.map((row) => row.version));
    expect(new Set(versions).size).toBe(20);
    expect(Math.max(...versions)).toBe(person?.version);
  });

  test('merges of the same persons in all directions end with one person for each id and every property', async () => {
    for (let round = 0; round < 8; round++) {
      const projectId = await testProject(db);
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      const merge = (target: string, source: string) =>
        identifyTask(target, source, { projectId, event: '$merge_dangerously', merge: { source, force: true } });
      if (round % 2) await resolve(names.map((name) => personTask({ projectId, distinctId: name, set: { [`own_${name}`]: 1 } })));
      const batches = names.flatMap((name, i) => {
        const next = names[(i + 1) % names.length] ?? '';
        return [
          resolve([personTask({ projectId, distinctId: name, set: { [`in_${name}`]: 1 } }), merge(name, next)], db),
          resolve([merge(next, name), personTask({ projectId, distinctId: `${name}2` }), merge(`${name}2`, name)], other),
        ];
      });
      const done = await Promise.all(batches);
      const [person, ...rest] = await personsOf(projectId);
      expect(rest).toEqual([]);
      expect(Object.keys(person?.properties ?? {}).filter((key) => key.startsWith('in_'))).toHaveLength(6);
      if (round % 2) expect(Object.keys(person?.properties ?? {})).toHaveLength(12);
      expect(await idsOf(projectId)).toHaveLength(12);
      const overrides = done.flatMap((batch) => batch.overrides);
      for (const { distinct_id } of await idsOf(projectId)) {
        const newest = overrides.filter((row) => row.distinct_id === distinct_id).sort((a, b) => b.version - a.version)[0];
        expect(newest?.person_id ?? personUuid(projectId, distinct_id)).toBe(person?.uuid);
      }
    }
  });
});

test('a batch that needs more persons releases its locks before it waits for theirs', async () => {
  const projectId = await testProject(db);
  const ids = new Map<string, number>();
  for (const distinctId of ['first', 'ann', 'anon']) {
    await resolve([personTask({ projectId, distinctId })]);
    for (const row of await idsOf(projectId)) ids.set(row.distinct_id, row.person_id);
  }
  const [first = 0, ann = 0, anon = 0] = ['first', 'ann', 'anon'].map((distinctId) => ids.get(distinctId));

  // another server merges `anon` into `first` and changes `ann`, while the batch waits for `ann`
  const merge = await other.startTransaction().execute();
  await merge.updateTable('persons').set({ version: 1 }).where('id', '=', ann).execute();
  await merge.updateTable('person_distinct_ids').set({ person_id: first }).where('distinct_id', '=', 'anon').execute();
  await merge.deleteFrom('persons').where('id', '=', anon).execute();
  const batch = resolve([identifyTask('ann', 'anon', { projectId })]);
  await untilSomeoneWaits(db, await backendOf(merge));

  // a third one holds `first` and needs `ann` after it, in the order of their ids
  const third = await other.startTransaction().execute();
  await third.selectFrom('persons').select('id').where('id', '=', first).forNoKeyUpdate().execute();
  await merge.commit().execute();
  await untilSomeoneWaits(db, await backendOf(third));
  await third.selectFrom('persons').select('id').where('id', '=', ann).forUpdate().noWait().execute();
  await third.commit().execute();

  await batch;
  expect((await personsOf(projectId)).map(({ id }) => id)).toEqual([ann]);
  expect((await idsOf(projectId)).map(({ person_id }) => person_id)).toEqual([ann, ann, ann]);
});
