import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, bought, inCohort, leaf, PRO, startCohorts } from '../../testing/cohorts.js';
import { testProject } from '../../testing/people.js';
import type { TestService } from '../../testing/service.js';

let cohorts: Awaited<ReturnType<typeof startCohorts>>;
let service: TestService;
let prefix: string;
beforeAll(async () => {
  cohorts = await startCohorts();
  ({ service, prefix } = cohorts);
});
afterAll(() => service.close());

const create = (body: object) => cohorts.create(body);
const patch = (id: number, body: object) => cohorts.patch(id, body);
const get = (url: string) => cohorts.get(url);
const namesIn = (id: number, query = '') => cohorts.namesIn(id, query);

describe('cohorts by conditions', () => {
  test('they are created, counted, retrieved and listed', async () => {
    const made = await create({ name: 'Pros', description: 'pay', filters: PRO });
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'Pros',
      description: 'pay',
      groups: [],
      filters: PRO,
      query: null,
      deleted: false,
      is_static: false,
      cohort_type: 'person_property',
      count: 2,
      is_calculating: false,
      last_calculation: expect.any(String),
      errors_calculating: 0,
      version: 1,
      experiment_set: [],
      created_by: expect.objectContaining({ email: 'owner@example.com' }),
      created_at: expect.any(String),
      user_access_level: 'manager',
    });
    expect(await get(`/${made.id}/`)).toEqual(made);
    expect(await get('/?search=PROS')).toMatchObject({ count: 1, results: [made] });
    expect(await get('/?search=pay&type=static')).toMatchObject({ count: 0, next: null, results: [] });
    expect((await service.call('GET', `${prefix}/?type=odd`)).statusCode).toBe(400);
    expect((await service.call('DELETE', `${prefix}/${made.id}/`)).statusCode).toBe(405);
  });

  test('their persons are listed newest first, in pages', async () => {
    const { id } = await create({ filters: PRO });
    expect(await namesIn(id)).toEqual(['cleo', 'ann']);
    const page = await get(`/${id}/persons/?limit=1`);
    expect(Object.keys(page)).toEqual(['next', 'previous', 'results']);
    const second = (await service.call('GET', page.next)).json();
    expect([second.next, second.results[0].distinct_ids]).toEqual([null, ['ann']]);
  });

  test('they can be made of other cohorts, also negated ones', async () => {
    const pros = await create({ filters: PRO });
    const inner = [inCohort(pros.id, { operator: 'not_in' }), leaf('country', 'DE')];
    const rest = await create({ filters: { properties: inner } });
    expect(rest.filters.properties).toEqual({ type: 'AND', values: inner });
    expect([rest.count, await namesIn(rest.id)]).toEqual([1, ['bob']]);
    const germans = await create({ filters: all(inCohort(pros.id), leaf('country', 'DE', { negation: true })) });
    expect(await namesIn(germans.id)).toEqual(['cleo']);
    const refused = await patch(pros.id, { filters: all({ type: 'OR', values: [inCohort(rest.id)] }) });
    expect(refused.json()).toMatchObject({
      code: 'invalid_input',
      attr: 'filters',
      detail: expect.stringMatching(/contain itself/),
    });
    expect((await patch(pros.id, { filters: all(inCohort(pros.id)) })).statusCode).toBe(400);
  });

  test('a change of the conditions updates the count', async () => {
    const { id } = await create({ name: 'x', filters: PRO });
    const changed = await service.call('PUT', `${prefix}/${id}/`, { body: { filters: all(leaf('plan', 'free')) } });
    expect(changed.json()).toMatchObject({ id, name: 'x', count: 1, version: 2 });
    expect((await patch(id, { is_static: true })).json()).toMatchObject({ attr: 'is_static' });
    expect((await patch(id, { name: 'y', is_static: 'false' })).json()).toMatchObject({ name: 'y', is_static: false });
    const log = await get(`/${id}/activity/`);
    expect(
      log.results.map((entry: { activity: string; detail: { changes: { field: string }[] } }) => [
        entry.activity,
        entry.detail.changes.map(({ field }) => field),
      ]),
    ).toEqual([
      ['updated', ['name']],
      ['updated', ['filters']],
      ['created', []],
    ]);
  });

  test('a failed count leaves the last count', async () => {
    const { id } = await create({ filters: PRO });
    const { events } = service.deps;
    const query = events.query;
    events.query = () => Promise.reject(new Error('down'));
    const changed = await patch(id, { description: 'still' });
    events.query = query;
    expect(changed.json()).toMatchObject({ description: 'still', count: 2, errors_calculating: 1 });
    expect((await patch(id, {})).json()).toMatchObject({ count: 2, errors_calculating: 0 });
  });

  test.each<[object, string, string]>([
    [{ name: 'x' }, 'required', 'filters'],
    [{ filters: null }, 'null', 'filters'],
    [{ filters: [] }, 'invalid_input', 'filters'],
    [{ filters: {} }, 'required', 'filters__properties'],
    [{ filters: { properties: 5 } }, 'invalid_input', 'filters__properties'],
    [{ filters: all(leaf('a', 1, { operator: 'like' })) }, 'invalid_choice', 'filters__properties__values__0__operator'],
    [
      { filters: all({ type: 'OR', values: [leaf('a', 'x', { operator: 'gt' })] }) },
      'invalid_input',
      'filters__properties__values__0__values__0__value',
    ],
    [{ filters: all(leaf('a', 1, { type: 'event' })) }, 'invalid_choice', 'filters__properties__values__0__type'],
    [
      { filters: all({ type: 'behavioral', key: 'seen', value: 'performed_event' }) },
      'required',
      'filters__properties__values__0__time_value',
    ],
    [{ filters: all(leaf('a', 1), inCohort(999_999)) }, 'invalid_input', 'filters__properties__values__1__value'],
    [{ filters: PRO, groups: [{ days: 3 }] }, 'invalid_input', 'groups'],
    [{ filters: PRO, name: 'x'.repeat(401) }, 'max_length', 'name'],
    [{ filters: PRO, csv: 'ann' }, 'invalid_input', 'csv'],
    [{ filters: PRO, _create_static_person_ids: ['ann'] }, 'invalid_input', '_create_static_person_ids'],
  ])('%j is refused', async (body, code, attr) => {
    const answer = await service.call('POST', `${prefix}/`, { body });
    expect([answer.statusCode, answer.json().code, answer.json().attr]).toEqual([400, code, attr]);
  });

  test('no request body causes a 500', async () => {
    const odd = fc.oneof(fc.constant(PRO), fc.jsonValue({ maxDepth: 4 }), fc.constant(all(inCohort([1, 2]))));
    const body = fc.record(
      { name: odd, description: odd, filters: odd, deleted: odd, is_static: odd, csv: odd },
      { requiredKeys: [] },
    );
    const nested = fc.record({
      filters: fc.record({
        properties: fc.record({
          type: fc.constantFrom('AND', 'OR', 1),
          values: fc.array(
            fc.record(
              {
                type: fc.constantFrom('person', 'cohort', 'behavioral', 'AND', null),
                key: odd,
                value: odd,
                operator: fc.constantFrom('exact', 'in', 'gt', 'regex', null, 7),
                negation: odd,
              },
              { requiredKeys: [] },
            ),
            { maxLength: 3 },
          ),
        }),
      }),
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, nested), async (given) => {
        const answer = await service.call('POST', `${prefix}/`, { body: given });
        expect(answer.statusCode).toBeLessThan(500);
      }),
      { numRuns: 60 },
    );
  });
});

describe('deletion of a cohort', () => {
  test('a deleted cohort can be restored', async () => {
    const { id } = await create({ name: 'Going', filters: PRO });
    expect((await patch(id, { deleted: true })).json()).toMatchObject({ deleted: true });
    expect((await service.call('GET', `${prefix}/${id}/`)).statusCode).toBe(404);
    expect((await service.call('GET', `${prefix}/${id}/persons/`)).statusCode).toBe(404);
    expect((await service.call('GET', `${prefix}/${id}/used_by/`)).statusCode).toBe(404);
    expect((await service.call('POST', `${prefix}/count/`, { body: { filters: all(inCohort(id)) } })).statusCode).toBe(400);
    expect((await patch(id, { name: 'x' })).statusCode).toBe(404);
    expect((await get('/?search=Going')).count).toBe(0);
    expect((await patch(id, { deleted: false })).json()).toMatchObject({ deleted: false, name: 'Going' });
  });

  test('a cohort that flags or cohorts use cannot be deleted', async () => {
    const used = await create({ name: 'Used', filters: PRO });
    const user = await create({ name: 'User', filters: all({ type: 'OR', values: [inCohort(String(used.id))] }) });
    const filters = JSON.stringify({ groups: [{ properties: [inCohort(used.id)] }] });
    const now = new Date(0);
    const flag = { project_id: service.projectId, key: 'beta', filters, created_at: now, updated_at: now };
    const { id } = await service.deps.db.insertInto('feature_flags').values(flag).returning('id').executeTakeFirstOrThrow();
    const refused = (await patch(used.id, { deleted: true })).json();
    expect(refused).toMatchObject({ code: 'invalid_input', attr: 'deleted' });
    expect(refused.detail).toBe(
      `This cohort is used by feature flag "beta", cohort "User" (${user.id}). Take it out there first.`,
    );
    await service.deps.db.updateTable('feature_flags').set({ deleted: true }).where('id', '=', id).execute();
    expect((await patch(used.id, { deleted: true })).statusCode).toBe(400);
    expect((await patch(user.id, { deleted: true })).statusCode).toBe(200);
    expect((await patch(used.id, { deleted: true })).statusCode).toBe(200);
    expect((await patch(user.id, { deleted: false })).json()).toMatchObject({
      attr: 'filters__properties__values__0__values__0__value',
    });
  });

  test('concurrent changes of two cohorts never make a cycle', async () => {
    for (let i = 0; i < 4; i++) {
      const [a, b] = [await create({ filters: PRO }), await create({ filters: PRO })];
      const answers = await Promise.all([
        patch(a.id, { filters: all(inCohort(b.id)) }),
        patch(b.id, { filters: all(inCohort(a.id)) }),
      ]);
      expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400]);
    }
  });
});

test('conditions are counted before anything is saved, also those about what people did', async () => {
  const count = (filters: unknown) => service.call('POST', `${prefix}/count/`, { body: { filters } });
  expect((await count(PRO)).json()).toEqual({ matching: 2, total: 3 });
  const { id } = await create({ filters: PRO });
  expect((await count(all(inCohort(id), leaf('country', ['DE'])))).json()).toEqual({ matching: 1, total: 3 });
  expect((await count(all(bought({ negation: true })))).json()).toEqual({ matching: 3, total: 3 });
  expect((await count(all(inCohort(987_654)))).json()).toMatchObject({ attr: 'filters__properties__values__0__value' });
  expect((await count({})).json()).toMatchObject({ code: 'required', attr: 'filters__properties' });
  expect((await count(all(leaf('plan', ['pro'], { operator: 'odd' })))).statusCode).toBe(400);
});

test('what uses a cohort is listed', async () => {
  const used = await create({ name: 'Used by two', filters: PRO });
  const user = await create({ name: 'Its user', filters: all(inCohort(used.id)) });
  const filters = { groups: [{ properties: [inCohort(used.id)], rollout_percentage: 100 }] };
  const made = await service.call('POST', `/api/projects/${service.projectId}/feature_flags/`, {
    body: { key: 'by-cohort', filters },
  });
  expect(await get(`/${used.id}/used_by/`)).toEqual({
    flags: [{ id: made.json().id, key: 'by-cohort' }],
    cohorts: [{ id: user.id, name: 'Its user' }],
    hidden: 0,
  });
  expect(await get(`/${user.id}/used_by/`)).toEqual({ flags: [], cohorts: [], hidden: 0 });
});

test('cohorts of other projects are not found', async () => {
  const other = await testProject(service.deps.db);
  const now = new Date(0);
  const row = { project_id: other, name: 'Foreign', created_at: now, updated_at: now };
  const { id } = await service.deps.db.insertInto('cohorts').values(row).returning('id').executeTakeFirstOrThrow();
  expect((await service.call('GET', `${prefix}/${id}/`)).statusCode).toBe(404);
  expect((await service.call('GET', `${prefix}/${id}/persons/`)).statusCode).toBe(404);
  expect((await service.call('GET', `${prefix}/${id}/used_by/`)).statusCode).toBe(404);
  expect((await service.call('POST', `${prefix}/count/`, { body: { filters: all(inCohort(id)) } })).statusCode).toBe(400);
  expect((await patch(id, { name: 'mine' })).statusCode).toBe(404);
  expect((await get('/?search=Foreign')).count).toBe(0);
  expect((await service.call('POST', `${prefix}/`, { body: { filters: all(inCohort(id)) } })).statusCode).toBe(400);
});
