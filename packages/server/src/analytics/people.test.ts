import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../kernel/json.js';
import { testProject } from '../testing/people.js';
import { startTestService, type TestService } from '../testing/service.js';
import { countGroups, countPeople } from './people.js';

const NAMES = ['ann', 'bob', 'cleo', 'gone'] as const;
const uuidOf = (name: string) => `00000000-0000-4000-8000-${Buffer.from(name).toString('hex').padStart(12, '0')}`;

let service: TestService;
let cohorts: Record<'staff' | 'inGermany' | 'chosen' | 'loop', number>;
beforeAll(async () => {
  service = await startTestService();
  const { projectId: project_id, deps } = service;
  const person = (name: string, properties: Record<string, Json>, version = 1, is_deleted = false, project = project_id) => ({
    project_id: project,
    person_id: uuidOf(name),
    properties,
    is_identified: true,
    is_deleted,
    created_at: 0,
    version,
  });
  const group = (group_type_index: number, group_key: string, plan: string, version = 1) => ({
    project_id,
    group_type_index,
    group_key,
    properties: { plan },
    created_at: 0,
    version,
  });
  const persons = [
    person('ann', { email: 'ann@old.example' }),
    person('ann', { email: 'ann@tidemark.example', country: 'DE', age: 40 }, 2),
    person('bob', { email: 'bob@tidemark.example', country: 'FR' }),
    person('cleo', { country: 'DE' }),
    person('gone', { country: 'DE' }),
    person('gone', {}, 2, true),
    person('ann', { country: 'DE' }, 1, false, project_id + 1),
  ];
  await deps.events.insert('persons', persons, { token: 'persons' });
  const groups = [group(0, 'acme', 'free'), group(0, 'acme', 'pro', 2), group(0, 'ace', 'free'), group(1, 'acme', 'pro')];
  await deps.events.insert('groups', groups, { token: 'groups' });
  const times = { created_at: new Date(0), updated_at: new Date(0) };
  const cohort = async (values: object[], is_static = false) => {
    const filters = JSON.stringify({ properties: { type: 'AND', values } });
    const row = { project_id, name: 'c', is_static, filters, ...times };
    return (await deps.db.insertInto('cohorts').values(row).returning('id').executeTakeFirstOrThrow()).id;
  };
  const staff = await cohort([{ key: 'email', type: 'person', value: '@tidemark', operator: 'icontains' }]);
  const germans = { key: 'country', type: 'person', value: 'FR', negation: true };
  const inGermany = await cohort([
    { type: 'OR', values: [germans] },
    { key: 'id', type: 'cohort', value: staff },
  ]);
  const chosen = await cohort([], true);
  const stored = await deps.db
    .insertInto('persons')
    .values({ project_id, uuid: uuidOf('bob'), properties: '{}', ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  await deps.db.insertInto('cohort_people').values({ cohort_id: chosen, person_id: stored.id }).execute();
  const loop = await cohort([{ key: 'id', type: 'cohort', value: chosen + 1 }]);
  cohorts = { staff, inGermany, chosen, loop };
});
afterAll(() => service.close());

const matching = async (filters: unknown) => (await countPeople(service.deps, service.projectId, filters)).matching;

describe('countPeople', () => {
  test('it counts the persons of the project, in their newest version and without deleted ones', async () => {
    expect(await countPeople(service.deps, service.projectId, null)).toEqual({ matching: 3, total: NAMES.length - 1 });
    const other = await testProject(service.deps.db);
    expect(await countPeople(service.deps, other, [])).toEqual({ matching: 1, total: 1 });
  });

  test.each<[unknown, number]>([
    [[{ key: 'country', value: ['DE'], operator: 'exact', type: 'person' }], 2],
    [
      [
        { key: 'country', value: 'DE' },
        { key: 'age', value: 39, operator: 'gt' },
      ],
      1,
    ],
    [[{ key: 'email', operator: 'icontains', value: 'old' }], 0],
    [[{ key: 'email', operator: 'is_not_set' }], 1],
    [[{ key: 'email', operator: 'is_set', negation: true }], 1],
    [[{ key: 'email', operator: 'regex', value: '(' }], 0],
    [
      {
        type: 'OR',
        values: [
          { key: 'country', value: 'FR' },
          { type: 'AND', values: [{ key: 'age', value: 40 }] },
        ],
      },
      2,
    ],
    [{ type: 'OR', values: [] }, 3],
  ])('%j matches as many', async (filters, count) => {
    expect(await matching(filters)).toBe(count);
  });

  test('it includes cohorts, nested cohorts and static cohorts', async () => {
    const within = (value: unknown, more = {}) => matching([{ key: 'id', type: 'cohort', value, ...more }]);
    expect(await within(cohorts.staff)).toBe(2);
    expect(await within(cohorts.staff, { operator: 'not_in' })).toBe(1);
    expect(await within(cohorts.staff, { operator: 'not_in', negation: true })).toBe(2);
    expect(await within(String(cohorts.inGermany), { operator: 'in' })).toBe(1);
    expect(await within(cohorts.chosen)).toBe(1);
    expect(await within(cohorts.chosen, { negation: true })).toBe(2);
    expect(await within([cohorts.chosen, cohorts.inGermany])).toBe(2);
  });

  test('static cohorts may be long', async () => {
    const { db } = service.deps;
    const count = 8000;
    await sql`insert into persons (project_id, uuid, properties, version, created_at, updated_at)
      select ${service.projectId}, gen_random_uuid(), '{}', 1, now(), now() from generate_series(1, ${count}::int)`.execute(db);
    const times = { created_at: new Date(0), updated_at: new Date(0) };
    const row = { project_id: service.projectId, is_static: true, ...times };
    const { id } = await db.insertInto('cohorts').values(row).returning('id').executeTakeFirstOrThrow();
    await sql`insert into cohort_people select ${id}::int, id from persons where project_id = ${service.projectId}`.execute(db);
    expect(await matching([{ key: 'id', type: 'cohort', value: id }])).toBe(1);
  });

  test.each<[unknown, string | null, RegExp]>([
    [[{ key: 'x', value: 1, type: 'event' }], 'filters__0__type', /not a valid choice/],
    [[{ key: 'x', value: 1, type: 'group', group_type_index: 0 }], 'filters__0__type', /not a valid choice/],
    [[{ key: 'x', value: 'a', operator: 'gt' }], 'filters__0__value', /number/],
    [{ type: 'OR', values: [{ key: 'x', operator: 'like', value: 1 }] }, 'filters__values__0__operator', /not a valid choice/],
    [[{ type: 'cohort', key: 'id', value: 'x' }], 'filters__0__value__0', /integer/],
    [[{ type: 'cohort', key: 'id', value: 999_999 }], null, /no cohort 999999/],
    ['all', 'filters', /list of filters/],
  ])('%j is refused', async (filters, attr, message) => {
    const refused = matching(filters);
    await expect(refused).rejects.toMatchObject({ body: { code: expect.stringMatching(/invalid/), attr } });
    await expect(refused).rejects.toThrow(message);
  });

  test('cohorts that contain themselves are refused', async () => {
    await expect(matching([{ type: 'cohort', key: 'id', value: cohorts.loop }])).rejects.toThrow(/contains itself/);
  });
});

describe('countGroups', () => {
  test('it counts the groups of one type', async () => {
    const count = (index: number, filters: unknown) => countGroups(service.deps, service.projectId, index, filters);
    const isPro = { key: 'plan', value: 'pro', type: 'group', group_type_index: 0 };
    expect(await count(0, [isPro])).toEqual({ matching: 1, total: 2 });
    expect(await count(0, [{ key: 'plan', value: 'pro', negation: true }])).toEqual({ matching: 1, total: 2 });
    expect(await count(0, [{ key: '$group_key', value: ['ace'] }])).toEqual({ matching: 1, total: 2 });
    expect(await count(1, [])).toEqual({ matching: 1, total: 1 });
    await expect(count(1, [isPro])).rejects.toThrow(/groups that are counted/);
  });
});
