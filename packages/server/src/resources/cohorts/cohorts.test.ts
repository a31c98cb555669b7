import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolvePersons } from '../../ingest/persons/index.js';
import { insertSideRows } from '../../ingest/writer/insert-side-rows.js';
import { personTask, testProject } from '../../testing/people.js';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
let prefix: string;
beforeAll(async () => {
  service = await startTestService();
  prefix = `/api/projects/${service.projectId}/cohorts`;
  const { projectId } = service;
  const tasks = [
    personTask({ projectId, distinctId: 'ann', set: { plan: 'pro', country: 'DE' } }),
    personTask({ projectId, distinctId: 'bob', set: { plan: 'free', country: 'DE' }, timestamp: 1_700_000_001_000 }),
    personTask({ projectId, distinctId: 'cleo', set: { plan: 'pro', email: 'cleo@example.com' }, timestamp: 1_700_000_002_000 }),
  ];
  const batch = await resolvePersons(service.deps, tasks);
  await insertSideRows(service.deps, { ...batch, groups: [] });
});
afterAll(() => service.close());

const leaf = (key: string, value: unknown, more = {}) => ({ type: 'person', key, value, ...more });
const inCohort = (value: unknown, more = {}) => ({ type: 'cohort', key: 'id', value, ...more });
const all = (...values: unknown[]) => ({ properties: { type: 'AND', values } });
const PRO = all(leaf('plan', ['pro']));

async function create(body: object) {
  const answer = await service.call('POST', `${prefix}/`, { body });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  return answer.json();
}
const patch = (id: number, body: object) => service.call('PATCH', `${prefix}/${id}/`, { body });
const get = async (url: string) => (await service.call('GET', `${prefix}${url}`)).json();
const namesIn = async (id: number, query = '') =>
  (await get(`/${id}/persons/${query}`)).results.map((person: { distinct_ids: string[] }) => person.distinct_ids[0]);

describe('cohorts made by conditions', () => {
  test('are created, counted, shown and listed', async () => {
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

  test('list their people, newest first, page by page', async () => {
    const { id } = await create({ filters: PRO });
    expect(await namesIn(id)).toEqual(['cleo', 'ann']);
    const page = await get(`/${id}/persons/?limit=1`);
    expect(Object.keys(page)).toEqual(['next', 'previous', 'results']);
    const second = (await service.call('GET', page.next)).json();
    expect([second.next, second.results[0].distinct_ids]).toEqual([null, ['ann']]);
  });

  test('are made of each other, with negation', async () => {
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

  test('change, and are counted again', async () => {
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

  test('keep the last number when nobody can be counted', async () => {
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
    [{ filters: all(leaf('a', 1), inCohort(999_999)) }, 'invalid_input', 'filters__properties__values__1__value'],
    [{ filters: PRO, groups: [{ days: 3 }] }, 'invalid_input', 'groups'],
    [{ filters: PRO, name: 'x'.repeat(401) }, 'max_length', 'name'],
    [{ filters: PRO, csv: 'ann' }, 'invalid_input', 'csv'],
    [{ filters: PRO, _create_static_person_ids: ['ann'] }, 'invalid_input', '_create_static_person_ids'],
  ])('%j is refused', async (body, code, attr) => {
    const answer = await service.call('POST', `${prefix}/`, { body });
    expect([answer.statusCode, answer.json().code, answer.json().attr]).toEqual([400, code, attr]);
  });

  test('no body makes the service fail', async () => {
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
                type: fc.constantFrom('person', 'cohort', 'AND', null),
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

describe('static cohorts', () => {
  test('hold the people that they are given, each once', async () => {
    const bob = (await get(`/${(await create({ filters: all(leaf('plan', 'free')) })).id}/persons/`)).results[0];
    const made = await create({
      name: 'List',
      is_static: true,
      _create_static_person_ids: ['ann', 'ann', 'nobody', bob.uuid, 'bob'],
    });
    expect(made).toMatchObject({ is_static: true, cohort_type: 'static', count: 2, filters: {} });
    expect(await namesIn(made.id)).toEqual(['bob', 'ann']);
    const path = `${prefix}/${made.id}`;
    const add = await service.call('PATCH', `${path}/add_persons_to_static_cohort/`, {
      body: { person_ids: ['cleo', bob.uuid] },
    });
    expect(add.json()).toEqual({ success: true });
    expect(await get(`/${made.id}/`)).toMatchObject({ count: 3, version: 2 });
    const remove = () => service.call('PATCH', `${path}/remove_person_from_static_cohort/`, { body: { person_id: bob.uuid } });
    expect((await remove()).statusCode).toBe(200);
    expect((await remove()).statusCode).toBe(404);
    expect(await namesIn(made.id, '?limit=1')).toEqual(['cleo']);
    expect(await get(`/${made.id}/`)).toMatchObject({ count: 2, version: 3 });
    const inside = await create({ filters: all(inCohort(made.id), leaf('country', 'DE')) });
    expect(await namesIn(inside.id)).toEqual(['ann']);
    const changes = (await get(`/${made.id}/activity/`)).results[0].detail.changes;
    expect(changes).toMatchObject([{ field: 'count', before: 3, after: 2 }]);
  });

  test('only lists can be changed so', async () => {
    const { id } = await create({ filters: PRO });
    const answer = await service.call('PATCH', `${prefix}/${id}/add_persons_to_static_cohort/`, {
      body: { person_ids: ['ann'] },
    });
    expect(answer.statusCode).toBe(400);
  });

  test.each([
    ['ann\nbob\n', ['bob', 'ann']],
    ['\uFEFFname,distinct_id\r\n"Ann, A.","ann"\r\nx,nobody', ['ann']],
    ['name;E-Mail\nCleo;cleo@example.com\n', ['cleo']],
    ['', []],
    ['"ann', []],
    ['email\n\0\ncleo@example.com', ['cleo']],
  ])('are read from the file %j', async (text, people) => {
    const boundary = 'xxx';
    const field = (name: string, value: string, more = '') =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    const payload = `${field('is_static', 'true')}${field('csv', text, '; filename="people.csv"\r\nContent-Type: text/csv')}--${boundary}--\r\n`;
    const headers = {
      authorization: `Bearer ${service.personalKey}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    };
    const answer = await service.app.inject({ method: 'POST', url: `${prefix}/`, headers, payload });
    expect(answer.statusCode).toBe(201);
    expect(await namesIn(answer.json().id)).toEqual(people);
  });

  test('many hands adding the same people leave each in it once', async () => {
    const { id } = await create({ is_static: true });
    const add = (person_ids: string[]) =>
      service.call('PATCH', `${prefix}/${id}/add_persons_to_static_cohort/`, { body: { person_ids } });
    const answers = await Promise.all([...Array(6)].map((_, i) => add(i % 2 ? ['ann', 'bob'] : ['bob', 'cleo', 'ann'])));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
    expect(await get(`/${id}/`)).toMatchObject({ count: 3, version: 7 });
  });
});

describe('deleting', () => {
  test('goes and comes back', async () => {
    const { id } = await create({ name: 'Going', filters: PRO });
    expect((await patch(id, { deleted: true })).json()).toMatchObject({ deleted: true });
    expect((await service.call('GET', `${prefix}/${id}/`)).statusCode).toBe(404);
    expect((await service.call('GET', `${prefix}/${id}/persons/`)).statusCode).toBe(404);
    expect((await patch(id, { name: 'x' })).statusCode).toBe(404);
    expect((await get('/?search=Going')).count).toBe(0);
    expect((await patch(id, { deleted: false })).json()).toMatchObject({ deleted: false, name: 'Going' });
  });

  test('is refused while flags or cohorts look at it', async () => {
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

  test('two cohorts changed at once never make a circle', async () => {
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

test('cohorts of other projects are not there', async () => {
  const other = await testProject(service.deps.db);
  const now = new Date(0);
  const row = { project_id: other, name: 'Foreign', created_at: now, updated_at: now };
  const { id } = await service.deps.db.insertInto('cohorts').values(row).returning('id').executeTakeFirstOrThrow();
  expect((await service.call('GET', `${prefix}/${id}/`)).statusCode).toBe(404);
  expect((await service.call('GET', `${prefix}/${id}/persons/`)).statusCode).toBe(404);
  expect((await patch(id, { name: 'mine' })).statusCode).toBe(404);
  expect((await get('/?search=Foreign')).count).toBe(0);
  expect((await service.call('POST', `${prefix}/`, { body: { filters: all(inCohort(id)) } })).statusCode).toBe(400);
});

test('queries ask for cohorts', async () => {
  const { projectId, deps, clock } = service;
  const { id } = await create({ filters: PRO });
  const list = await create({ is_static: true, _create_static_person_ids: ['bob', 'cleo'] });
  const people = (await service.call('GET', `/api/projects/${projectId}/persons/`)).json().results;
  const events = people.map((person: { uuid: string; distinct_ids: string[] }, index: number) => ({
    project_id: projectId,
    uuid: `00000000-0000-4000-8000-00000000000${index}`,
    event: 'seen',
    distinct_id: person.distinct_ids[0],
    person_id: person.uuid,
    person_mode: 'full',
    timestamp: clock.now() - 1000,
    inserted_at: clock.now(),
    properties: {},
  }));
  await deps.events.insert('events', Buffer.from(events.map((event: object) => JSON.stringify(event)).join('\n')), {
    token: 'seen',
  });
  const ask = async (properties: unknown) => {
    const query = { kind: 'EventsQuery', select: ['distinct_id'], event: 'seen', orderBy: ['distinct_id'], properties };
    const answer = await service.call('POST', `/api/projects/${projectId}/query/`, { body: { query } });
    return answer.statusCode === 200 ? answer.json().results.flat() : answer.json();
  };
  expect(await ask([inCohort(id)])).toEqual(['ann', 'cleo']);
  expect(await ask([inCohort(id, { operator: 'not_in' })])).toEqual(['bob']);
  expect(await ask([inCohort(list.id), inCohort(id)])).toEqual(['cleo']);
  expect(await ask({ type: 'OR', values: [inCohort(list.id), inCohort(id)] })).toEqual(['ann', 'bob', 'cleo']);
  expect(await ask([inCohort(999_999)])).toMatchObject({ code: 'invalid_input', detail: 'There is no cohort 999999.' });
  const series = [{ kind: 'EventsNode', event: 'seen', properties: [inCohort(list.id, { negation: true })] }];
  const query = { kind: 'TrendsQuery', series, properties: [inCohort(id)] };
  const trend = await service.call('POST', `/api/projects/${projectId}/query/`, { body: { query } });
  expect(trend.json().results[0].count).toBe(1);
});

test('rules say who may see and change a cohort, and keys need the scope', async () => {
  const { db } = service.deps;
  const { id } = await create({ filters: PRO });
  const scopes = (scope: string) =>
    db
      .updateTable('personal_api_keys')
      .set({ scopes: [scope] })
      .execute();
  await scopes('cohort:read');
  const answers = [await service.call('GET', `${prefix}/${id}/`), await patch(id, { name: 'x' })];
  await scopes('*');
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 403]);
  const rules = await service.call('GET', `${prefix}/${id}/access_controls/`);
  expect(rules.json()).toMatchObject({ user_access_level: 'manager' });
});
