import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GroupCalls, groupCalls, groupIdentify, invalid, NOT_FOUND } from '../../testing/group-calls.js';
import { testProject } from '../../testing/people.js';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
let it: GroupCalls;
let base: string;
beforeAll(async () => {
  service = await startTestService();
  it = groupCalls(service);
  base = `/api/environments/${service.projectId}`;
});
afterAll(() => service.close());

describe('groups created by events', () => {
  beforeAll(async () => {
    const day = (n: number) => new Date(Date.UTC(2025, 0, n, 12)).toISOString();
    await it.capture(
      groupIdentify('company', 'acme', { name: 'Acme Anvils', industry: 'Anvils', size: 42, site: { city: 'Bern' } }, day(1)),
      groupIdentify('company', 'Zeta', { name: 'Zeta', industry: 'finance', quote: 'a "b" \\ c' }, day(3)),
      groupIdentify('company', 'beta 100%', { name: 'ÄRGER', industry: 'finance', active: true }, day(2)),
      groupIdentify('team', 'red', { name: 'Red' }, day(1)),
    );
  });

  test('spec 2.7 group_type_index, group_key, group_properties, created_at', async () => {
    expect((await it.get('/groups/?group_type_index=1')).results).toEqual([
      { group_type_index: 1, group_key: 'red', group_properties: { name: 'Red' }, created_at: '2025-01-01T12:00:00Z' },
    ]);
  });

  test('spec 4.6 List: newest first, in an envelope of next, previous and results', async () => {
    const page = await it.get('/groups/?group_type_index=0&limit=1&offset=1');
    expect(Object.keys(page)).toEqual(['next', 'previous', 'results']);
    expect(page.results.map((group: { group_key: string }) => group.group_key)).toEqual(['Zeta', 'beta 100%', 'acme']);
    expect([page.next, page.previous]).toEqual([null, null]);
    expect(await service.call('GET', `/api/projects/@current/groups?group_type_index=0`).then((one) => one.json())).toEqual(page);
  });

  test('spec 4.6 List: a group is listed within a second of its event', async () => {
    const started = performance.now();
    await it.capture(groupIdentify('plant', 'new', { name: 'New' }));
    expect(await it.keys('', 2)).toEqual(['new']);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test('spec 4.6 List: group_type_index is required', async () => {
    const missing = invalid(
      'You must pass ?group_type_index= in this URL. To get a list of valid group types, call /api/:project_id/groups_types/.',
      'group_type_index',
    );
    expect(await it.answer('GET', '/groups/')).toEqual([400, missing]);
    expect(await it.answer('GET', '/groups/?group_type_index=&search=x')).toEqual([400, missing]);
    expect(await it.answer('GET', '/groups/?group_type_index=one')).toEqual([
      400,
      invalid('A valid integer is required.', 'group_type_index'),
    ]);
    for (const index of [3, 4, 5, -1, 70_000, 2_147_483_647]) expect(await it.keys('', index)).toEqual([]);
  });

  test.each([
    ['search=anv', ['acme']],
    ['search=ACME', ['acme']],
    ['search=zeta', ['Zeta']],
    ['search=%C3%A4rger', ['beta 100%']],
    ['search=finance', ['Zeta', 'beta 100%']],
    ['search=100%25', []],
    ['search=BETA%20100%25', ['beta 100%']],
    ['search=42', ['acme']],
    ['search=bern', ['acme']],
    ['search=true', ['beta 100%']],
    ['search=a%20%22b%22%20%5C', ['Zeta']],
    // names of properties are not their values
    ['search=industry', []],
    ['search=city', []],
    ['search=", "', []],
    ['search=%20%20', ['Zeta', 'beta 100%', 'acme']],
    ['group_key=ET', ['Zeta', 'beta 100%']],
    ['group_key=%25', ['beta 100%']],
    ['group_key=_', []],
    ['group_key=et&search=zeta', ['Zeta']],
  ])('spec 4.6 List: %s finds %j', async (query, found) => {
    expect(await it.keys(query)).toEqual(found);
  });

  test('find returns one group', async () => {
    expect(await it.get('/groups/find/?group_type_index=1&group_key=red')).toEqual({
      group_type_index: 1,
      group_key: 'red',
      group_properties: { name: 'Red' },
      created_at: '2025-01-01T12:00:00Z',
      notebook: null,
    });
    expect(await it.answer('GET', '/groups/find/?group_type_index=0&group_key=red')).toEqual([404, NOT_FOUND]);
    expect(await it.answer('GET', '/groups/find/?group_type_index=99999999&group_key=red')).toEqual([404, NOT_FOUND]);
    expect(await it.answer('GET', '/groups/find/?group_type_index=1')).toEqual([
      400,
      invalid('This field is required.', 'group_key', 'required'),
    ]);
    expect(await it.answer('GET', '/groups/find/?group_key=red')).toEqual([
      400,
      invalid('This field is required.', 'group_type_index', 'required'),
    ]);
  });

  test('property_definitions counts the groups of each type that have a property', async () => {
    const definitions = await it.get('/groups/property_definitions/');
    expect(definitions['0']).toEqual([
      { name: 'industry', count: 3 },
      { name: 'name', count: 3 },
      { name: 'active', count: 1 },
      { name: 'quote', count: 1 },
      { name: 'site', count: 1 },
      { name: 'size', count: 1 },
    ]);
    expect(definitions['1']).toEqual([{ name: 'name', count: 1 }]);
  });

  test('property_values lists values in order, or only those that contain a text', async () => {
    const values = '/groups/property_values/?group_type_index=0';
    expect(await it.get(`${values}&key=industry`)).toEqual([{ name: 'Anvils' }, { name: 'finance' }]);
    expect(await it.get(`${values}&key=industry&value=FIN`)).toEqual([{ name: 'finance' }]);
    expect(await it.get(`${values}&key=size`)).toEqual([{ name: '42' }]);
    expect(await it.get(`${values}&key=none`)).toEqual([]);
    expect(await it.answer('GET', values)).toEqual([400, invalid('This field is required.', 'key', 'required')]);
    expect(await it.answer('GET', '/groups/property_values/?key=x')).toMatchObject([400, { attr: 'group_type_index' }]);
  });

  test('group types are listed by index at three paths, and renamed', async () => {
    const types = await it.get('/groups_types/');
    expect(types.map((type: { group_type: string }) => type.group_type)).toEqual(['company', 'team', 'plant']);
    expect(types[0]).toEqual({
      group_type: 'company',
      group_type_index: 0,
      name_singular: null,
      name_plural: null,
      detail_dashboard: null,
      default_columns: null,
      created_at: expect.stringMatching(/Z$/),
    });
    for (const path of [`/api/${service.projectId}/groups_types/`, `/api/projects/${service.projectId}/groups_types`]) {
      expect((await service.call('GET', path)).json()).toEqual(types);
    }
    expect((await service.call('GET', '/api/999999/groups_types/')).json()).toEqual({
      ...NOT_FOUND,
      detail: 'Project not found.',
    });
    expect((await service.call('GET', '/api/@current/groups_types/', { key: null })).statusCode).toBe(401);

    const names = { group_type_index: 1, name_singular: 'Team', name_plural: 'Teams' };
    const renamed = await it.answer('PATCH', '/groups_types/update_metadata/', [
      names,
      { group_type_index: 0, name_plural: 'Firms' },
    ]);
    expect(renamed).toEqual([200, [{ ...types[0], name_plural: 'Firms' }, { ...types[1], ...names }, types[2]]]);
    expect(await it.get('/groups_types/')).toEqual(renamed[1]);
    const partly = [{ group_type_index: 0, name_plural: 'Never' }, { group_type_index: 4 }];
    expect(await it.answer('PATCH', '/groups_types/update_metadata/', partly)).toEqual([404, NOT_FOUND]);
    expect(await it.answer('PATCH', '/groups_types/update_metadata/', {})).toEqual([
      400,
      invalid('Expected a list of items but got type "dict".', null, 'not_a_list'),
    ]);
    expect(await it.answer('PATCH', '/groups_types/update_metadata/', [{ name_plural: 7, group_type_index: 'x' }])).toEqual([
      400,
      invalid('A valid integer is required.', '0__group_type_index'),
    ]);
    expect(await it.get('/groups_types/')).toEqual(renamed[1]);
  });
});

describe('related persons and groups', () => {
  beforeAll(async () => {
    const visit = (distinct_id: string, $groups: object, extra: object = {}) => ({
      event: 'visit',
      distinct_id,
      properties: { $groups, ...extra },
    });
    await it.capture(
      groupIdentify('company', 'together', { name: 'Together' }),
      groupIdentify('team', 'blue', { name: 'Blue' }),
      visit('cleo-anon', { company: 'together', team: 'blue' }),
      visit('dora', { company: 'together', team: 'no such team' }, { $set: { email: 'dora@example.com' } }),
      visit('without profile', { company: 'together' }, { $process_person_profile: false }),
      visit('elsewhere', { company: 'another', team: 'blue' }),
      { event: '$identify', distinct_id: 'cleo', properties: { $anon_distinct_id: 'cleo-anon', $set: { name: 'Cleo' } } },
    );
  });
  const person = async (distinctId: string) => (await it.get(`/persons/?distinct_id=${distinctId}`)).results[0];
  const blue = async () => ({
    type: 'group',
    id: 'blue',
    group_key: 'blue',
    group_type_index: 1,
    properties: { name: 'Blue' },
    created_at: (await it.get('/groups/find/?group_type_index=1&group_key=blue')).created_at,
  });

  test('a group is related to persons with a profile, also merged ones, and to known groups of other types', async () => {
    const related = await it.get('/groups/related/?id=together&group_type_index=0');
    const cleo = await person('cleo');
    const dora = await person('dora');
    expect(cleo.distinct_ids).toEqual(expect.arrayContaining(['cleo', 'cleo-anon']));
    expect(related).toHaveLength(3);
    expect(related).toEqual(expect.arrayContaining([cleo, dora, await blue()]));
    expect(related[2]).toEqual(await blue());
  });

  test('a person is related to groups', async () => {
    const { uuid } = await person('cleo');
    const related = await it.get(`/groups/related/?id=${uuid}`);
    expect(related.map((one: { group_key: string }) => one.group_key)).toEqual(['together', 'blue']);
    expect(await it.get(`/groups/related/?id=${uuid.toUpperCase()}&group_type_index=`)).toEqual(related);
  });

  test('an unknown person or group has no relations', async () => {
    expect(await it.get('/groups/related/?id=nobody&group_type_index=0')).toEqual([]);
    expect(await it.get('/groups/related/?id=together&group_type_index=9')).toEqual([]);
    expect(await it.get('/groups/related/?id=00000000-0000-4000-8000-000000000000')).toEqual([]);
    expect(await it.answer('GET', '/groups/related/?id=x')).toEqual([400, invalid('Must be a valid UUID.', 'id')]);
    expect(await it.answer('GET', '/groups/related/')).toEqual([400, invalid('This field is required.', 'id', 'required')]);
  });
});

describe('access to groups', () => {
  test('keys need group:read and group:write', async () => {
    const scopes = (scope: string) =>
      service.deps.db
        .updateTable('personal_api_keys')
        .set({ scopes: [scope] })
        .execute();
    const missing = (scope: string) => [403, expect.objectContaining({ detail: `API key missing required scope '${scope}'` })];
    await scopes('group:read');
    expect((await it.answer('GET', '/groups/?group_type_index=0'))[0]).toBe(200);
    expect((await it.answer('GET', '/groups_types/'))[0]).toBe(200);
    expect(await it.answer('POST', '/groups/', {})).toEqual(missing('group:write'));
    expect(await it.answer('POST', '/groups/update_property/', {})).toEqual(missing('group:write'));
    expect(await it.answer('POST', '/groups/delete_property/', {})).toEqual(missing('group:write'));
    expect(await it.answer('PATCH', '/groups_types/update_metadata/', [])).toEqual(missing('group:write'));
    expect(await it.answer('GET', '/groups/activity/')).toEqual(missing('activity_log:read'));
    await scopes('person:write');
    for (const path of ['?group_type_index=0', 'find/', 'related/', 'property_definitions/', 'property_values/']) {
      expect(await it.answer('GET', `/groups/${path}`)).toEqual(missing('group:read'));
    }
    await scopes('*');
  });

  test('groups of another project are neither returned nor changed', async () => {
    const other = await testProject(service.deps.db);
    const times = { created_at: new Date(0), updated_at: new Date(0) };
    const foreign = {
      project_id: other,
      group_type_index: 3,
      group_key: 'foreign',
      group_properties: '{"name":"Foreign"}',
      ...times,
    };
    await service.deps.db.insertInto('groups').values(foreign).execute();
    expect(await it.keys('', 3)).toEqual([]);
    expect((await it.answer('GET', '/groups/find/?group_type_index=3&group_key=foreign'))[0]).toBe(404);
    expect((await it.answer('POST', '/groups/update_property/?group_type_index=3&group_key=foreign', {}))[0]).toBe(404);
    expect((await it.answer('POST', '/groups/delete_property/?group_type_index=3&group_key=foreign', {}))[0]).toBe(404);
    expect(await it.get('/groups/related/?id=foreign&group_type_index=3')).toEqual([]);
    expect(await it.get('/groups/property_definitions/')).not.toHaveProperty('3');
    expect(await it.get('/groups/property_values/?group_type_index=3&key=name')).toEqual([]);
    for (const path of ['groups/?group_type_index=3', 'groups_types/', 'groups/related/?id=foreign&group_type_index=3']) {
      expect((await service.call('GET', `/api/projects/${other}/${path}`)).statusCode).toBe(404);
    }
    expect((await service.call('GET', `/api/${other}/groups_types/`)).statusCode).toBe(404);
    expect((await service.call('DELETE', `${base}/groups/`)).statusCode).toBe(405);
  });
});

test('no query string and no body causes a 500', async () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('0', '1', '-1', '99999999999', 'made', 'industry', '\0', '', 'a'.repeat(2000), 'e30=', 'bnVsbA=='),
  );
  const names = ['group_type_index', 'group_key', 'key', 'value', 'id', 'search', 'cursor', 'limit'];
  const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('\0', '\ud800', 1e308, 'made', 0, { a: '\u0000' }));
  const body = fc.oneof(
    fc.dictionary(
      fc.constantFrom('group_type_index', 'group_key', 'group_properties', 'key', 'value', '$unset', '__proto__'),
      json,
    ),
    fc.array(fc.dictionary(fc.constantFrom('group_type_index', 'name_singular', 'name_plural'), json), { maxLength: 3 }),
  );
  const route = fc.constantFrom(
    ['GET', '/groups/'],
    ['GET', '/groups/find/'],
    ['GET', '/groups/related/'],
    ['GET', '/groups/property_values/'],
    ['GET', '/groups/activity/'],
    ['POST', '/groups/'],
    ['POST', '/groups/update_property/'],
    ['POST', '/groups/delete_property/'],
    ['PATCH', '/groups_types/update_metadata/'],
  );
  await fc.assert(
    fc.asyncProperty(
      route,
      fc.dictionary(fc.constantFrom(...names), value),
      body,
      async ([method = '', path], query, payload) => {
        const url = `${base}${path}?${new URLSearchParams({ group_type_index: '0', ...query })}`;
        const response = await service.app.inject({
          method: method === 'GET' ? 'GET' : method === 'PATCH' ? 'PATCH' : 'POST',
          url,
          headers: { authorization: `Bearer ${service.personalKey}`, 'content-type': 'application/json' },
          ...(method === 'GET' ? {} : { payload: JSON.stringify(payload) }),
        });
        expect([response.statusCode, response.body]).toEqual([expect.toSatisfy((status) => status < 500), expect.any(String)]);
      },
    ),
    { numRuns: 120 },
  );
});
