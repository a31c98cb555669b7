import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recoverOutbox } from '../../ingest/index.js';
import { EventsUnavailable } from '../../ports/events.js';
import { testProject } from '../../testing/people.js';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
let base: string;
beforeAll(async () => {
  service = await startTestService();
  base = `/api/environments/${service.projectId}`;
});
afterAll(() => service.close());

const invalid = (detail: string, attr: string | null, code = 'invalid_input') => ({
  type: 'validation_error',
  code,
  detail,
  attr,
});
const NOT_FOUND = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null };

async function capture(...events: { event: string; distinct_id?: string; properties?: object; timestamp?: string }[]) {
  const batch = events.map((event) => ({ distinct_id: 'ann', ...event }));
  const sent = await service.app.inject({ method: 'POST', url: '/batch/', payload: { api_key: service.projectKey, batch } });
  expect(sent.statusCode).toBe(200);
}
const identify = (type: string, key: string, set: object = {}, timestamp?: string) => ({
  event: '$groupidentify',
  properties: { $group_type: type, $group_key: key, $group_set: set },
  ...(timestamp ? { timestamp } : {}),
});

async function answer(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
  const response = await service.call(method, `${base}${path}`, body === undefined ? {} : { body });
  return [response.statusCode, response.body === '' ? null : response.json()];
}
async function get(path: string) {
  const [status, body] = await answer('GET', path);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}
const keys = async (query: string, index = companies): Promise<string[]> =>
  (await get(`/groups/?group_type_index=${index}&${query}`)).results.map((group: { group_key: string }) => group.group_key);

/** Copies of a group in the event store. */
async function inEvents(key: string, index = companies) {
  const { rows } = await service.deps.events.query<{ properties: object }>({
    sql: 'select properties from groups final where project_id = {p:UInt32} and group_type_index = {i:UInt8} and group_key = {k:String}',
    params: { p: service.projectId, i: index, k: key },
  });
  return rows.map((row) => row.properties);
}

const companies = 0;
const teams = 1;

describe('groups that come from capture', () => {
  beforeAll(async () => {
    const day = (n: number) => new Date(Date.UTC(2025, 0, n, 12)).toISOString();
    await capture(
      identify('company', 'acme', { name: 'Acme Anvils', industry: 'Anvils', size: 42, site: { city: 'Bern' } }, day(1)),
      identify('company', 'Zeta', { name: 'Zeta', industry: 'finance', quote: 'a "b" \\ c' }, day(3)),
      identify('company', 'beta 100%', { name: 'ÄRGER', industry: 'finance', active: true }, day(2)),
      identify('team', 'red', { name: 'Red' }, day(1)),
    );
  });

  test('spec 2.7 group_type_index, group_key, group_properties, created_at', async () => {
    expect((await get('/groups/?group_type_index=1')).results).toEqual([
      { group_type_index: 1, group_key: 'red', group_properties: { name: 'Red' }, created_at: '2025-01-01T12:00:00Z' },
    ]);
  });

  test('spec 4.6 List: newest first, in an envelope of next, previous and results', async () => {
    const page = await get('/groups/?group_type_index=0&limit=1&offset=1');
    expect(Object.keys(page)).toEqual(['next', 'previous', 'results']);
    expect(page.results.map((group: { group_key: string }) => group.group_key)).toEqual(['Zeta', 'beta 100%', 'acme']);
    expect([page.next, page.previous]).toEqual([null, null]);
    expect(await service.call('GET', `/api/projects/@current/groups?group_type_index=0`).then((one) => one.json())).toEqual(page);
  });

  test('spec 4.6 List: groups are there within a second of the event', async () => {
    const started = performance.now();
    await capture(identify('plant', 'new', { name: 'New' }));
    expect(await keys('', 2)).toEqual(['new']);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test('spec 4.6 List: group_type_index must be passed', async () => {
    const missing = invalid(
      'You must pass ?group_type_index= in this URL. To get a list of valid group types, call /api/:project_id/groups_types/.',
      'group_type_index',
    );
    expect(await answer('GET', '/groups/')).toEqual([400, missing]);
    expect(await answer('GET', '/groups/?group_type_index=&search=x')).toEqual([400, missing]);
    expect(await answer('GET', '/groups/?group_type_index=one')).toEqual([
      400,
      invalid('A valid integer is required.', 'group_type_index'),
    ]);
    for (const index of [3, 4, 5, -1, 70_000, 2_147_483_647]) expect(await keys('', index)).toEqual([]);
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
    expect(await keys(query)).toEqual(found);
  });

  test('find answers with one group', async () => {
    expect(await get('/groups/find/?group_type_index=1&group_key=red')).toEqual({
      group_type_index: 1,
      group_key: 'red',
      group_properties: { name: 'Red' },
      created_at: '2025-01-01T12:00:00Z',
      notebook: null,
    });
    expect(await answer('GET', '/groups/find/?group_type_index=0&group_key=red')).toEqual([404, NOT_FOUND]);
    expect(await answer('GET', '/groups/find/?group_type_index=99999999&group_key=red')).toEqual([404, NOT_FOUND]);
    expect(await answer('GET', '/groups/find/?group_type_index=1')).toEqual([
      400,
      invalid('This field is required.', 'group_key', 'required'),
    ]);
    expect(await answer('GET', '/groups/find/?group_key=red')).toEqual([
      400,
      invalid('This field is required.', 'group_type_index', 'required'),
    ]);
  });

  test('property_definitions counts the properties of each type', async () => {
    const definitions = await get('/groups/property_definitions/');
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

  test('property_values lists values, sorted, and those with a text in them', async () => {
    const values = '/groups/property_values/?group_type_index=0';
    expect(await get(`${values}&key=industry`)).toEqual([{ name: 'Anvils' }, { name: 'finance' }]);
    expect(await get(`${values}&key=industry&value=FIN`)).toEqual([{ name: 'finance' }]);
    expect(await get(`${values}&key=size`)).toEqual([{ name: '42' }]);
    expect(await get(`${values}&key=none`)).toEqual([]);
    expect(await answer('GET', values)).toEqual([400, invalid('This field is required.', 'key', 'required')]);
    expect(await answer('GET', '/groups/property_values/?key=x')).toMatchObject([400, { attr: 'group_type_index' }]);
  });

  test('types are listed by index at three paths, and renamed', async () => {
    const types = await get('/groups_types/');
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
    const renamed = await answer('PATCH', '/groups_types/update_metadata/', [
      names,
      { group_type_index: 0, name_plural: 'Firms' },
    ]);
    expect(renamed).toEqual([200, [{ ...types[0], name_plural: 'Firms' }, { ...types[1], ...names }, types[2]]]);
    expect(await get('/groups_types/')).toEqual(renamed[1]);
    const partly = [{ group_type_index: 0, name_plural: 'Never' }, { group_type_index: 4 }];
    expect(await answer('PATCH', '/groups_types/update_metadata/', partly)).toEqual([404, NOT_FOUND]);
    expect(await answer('PATCH', '/groups_types/update_metadata/', {})).toEqual([
      400,
      invalid('Expected a list of items but got type "dict".', null, 'not_a_list'),
    ]);
    expect(await answer('PATCH', '/groups_types/update_metadata/', [{ name_plural: 7, group_type_index: 'x' }])).toEqual([
      400,
      invalid('A valid integer is required.', '0__group_type_index'),
    ]);
    expect(await get('/groups_types/')).toEqual(renamed[1]);
  });
});

describe('who occurs together', () => {
  beforeAll(async () => {
    const visit = (distinct_id: string, $groups: object, extra: object = {}) => ({
      event: 'visit',
      distinct_id,
      properties: { $groups, ...extra },
    });
    await capture(
      identify('company', 'together', { name: 'Together' }),
      identify('team', 'blue', { name: 'Blue' }),
      visit('cleo-anon', { company: 'together', team: 'blue' }),
      visit('dora', { company: 'together', team: 'no such team' }, { $set: { email: 'dora@example.com' } }),
      visit('without profile', { company: 'together' }, { $process_person_profile: false }),
      visit('elsewhere', { company: 'another', team: 'blue' }),
      { event: '$identify', distinct_id: 'cleo', properties: { $anon_distinct_id: 'cleo-anon', $set: { name: 'Cleo' } } },
    );
  });
  const person = async (distinctId: string) => (await get(`/persons/?distinct_id=${distinctId}`)).results[0];
  const blue = async () => ({
    type: 'group',
    id: 'blue',
    group_key: 'blue',
    group_type_index: teams,
    properties: { name: 'Blue' },
    created_at: (await get('/groups/find/?group_type_index=1&group_key=blue')).created_at,
  });

  test('related to a group are the persons with a profile, merges honoured, and the known groups of other types', async () => {
    const related = await get('/groups/related/?id=together&group_type_index=0');
    const cleo = await person('cleo');
    const dora = await person('dora');
    expect(cleo.distinct_ids).toEqual(expect.arrayContaining(['cleo', 'cleo-anon']));
    expect(related).toHaveLength(3);
    expect(related).toEqual(expect.arrayContaining([cleo, dora, await blue()]));
    expect(related[2]).toEqual(await blue());
  });

  test('related to a person are the groups', async () => {
    const { uuid } = await person('cleo');
    const related = await get(`/groups/related/?id=${uuid}`);
    expect(related.map((one: { group_key: string }) => one.group_key)).toEqual(['together', 'blue']);
    expect(await get(`/groups/related/?id=${uuid.toUpperCase()}&group_type_index=`)).toEqual(related);
  });

  test('nobody is related to what is not there', async () => {
    expect(await get('/groups/related/?id=nobody&group_type_index=0')).toEqual([]);
    expect(await get('/groups/related/?id=together&group_type_index=9')).toEqual([]);
    expect(await get('/groups/related/?id=00000000-0000-4000-8000-000000000000')).toEqual([]);
    expect(await answer('GET', '/groups/related/?id=x')).toEqual([400, invalid('Must be a valid UUID.', 'id')]);
    expect(await answer('GET', '/groups/related/')).toEqual([400, invalid('This field is required.', 'id', 'required')]);
  });
});

describe('groups that the API makes', () => {
  const made = { group_type_index: 0, group_key: 'made', group_properties: { name: 'Made', industry: 'toys' } };
  const one = '?group_type_index=0&group_key=made';

  test('create: 201, in both stores, without anything left in the outbox', async () => {
    const [status, group] = await answer('POST', '/groups/', made);
    expect([status, group]).toEqual([201, { ...made, created_at: expect.stringMatching(/Z$/) }]);
    expect(await get(`/groups/find/${one}`)).toEqual({ ...group, notebook: null });
    expect(await inEvents('made')).toEqual([made.group_properties]);
    expect(await answer('POST', '/groups/', { ...made, group_properties: { name: 'Other' } })).toEqual([
      400,
      invalid('A group with this key already exists', 'detail'),
    ]);
    expect(await inEvents('made')).toEqual([made.group_properties]);
    const empty = { group_type_index: '0', group_key: ' as it is ', group_properties: null };
    expect(await answer('POST', '/groups/', empty)).toMatchObject([201, { group_key: ' as it is ', group_properties: {} }]);
  });

  test.each([
    [{}, invalid('This field is required.', 'group_type_index', 'required')],
    [{ group_type_index: 5, group_key: 'x' }, invalid('"5" is not a valid choice.', 'group_type_index', 'invalid_choice')],
    [{ group_type_index: 0 }, invalid('This field is required.', 'group_key', 'required')],
    [{ group_type_index: 0, group_key: null }, invalid('This field may not be null.', 'group_key', 'null')],
    [{ group_type_index: 0, group_key: '' }, invalid('This field may not be blank.', 'group_key', 'blank')],
    [
      { group_type_index: 0, group_key: 'x'.repeat(401) },
      invalid('Ensure this field has no more than 400 characters.', 'group_key', 'max_length'),
    ],
    [{ group_type_index: 0, group_key: 'x', group_properties: [] }, invalid('Not a valid object.', 'group_properties')],
  ])('create refuses %j', async (body, error) => {
    expect(await answer('POST', '/groups/', body)).toEqual([400, error]);
  });

  test('of two that make the same group one succeeds', async () => {
    const body = { group_type_index: 0, group_key: 'raced' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => answer('POST', '/groups/', body)));
    expect(answers.map(([status]) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
  });

  test('update_property sets one property in both stores', async () => {
    const [status, group] = await answer('POST', `/groups/update_property/${one}`, { key: 'industry', value: ['a', null] });
    expect([status, group.group_properties]).toEqual([200, { name: 'Made', industry: ['a', null] }]);
    expect(await inEvents('made')).toEqual([group.group_properties]);
    await answer('POST', `/groups/update_property/${one}`, { key: 'nothing', value: null });
    expect((await get(`/groups/find/${one}`)).group_properties).toEqual({ ...group.group_properties, nothing: null });
    expect(await answer('POST', `/groups/update_property/${one}`, { value: 1 })).toEqual([
      400,
      invalid('This field is required.', 'key', 'required'),
    ]);
    expect(await answer('POST', `/groups/update_property/${one}`, { key: 'x' })).toEqual([
      400,
      invalid('This field is required.', 'value', 'required'),
    ]);
    expect(await answer('POST', '/groups/update_property/?group_type_index=0&group_key=none', {})).toEqual([404, NOT_FOUND]);
    const large = { key: 'large', value: 'x'.repeat(600_000) };
    expect(await answer('POST', `/groups/update_property/${one}`, large)).toMatchObject([400, { code: 'invalid_input' }]);
    expect((await get(`/groups/find/${one}`)).group_properties).not.toHaveProperty('large');
  });

  test('delete_property takes one away from both stores', async () => {
    const remove = (body: unknown, query = one) => answer('POST', `/groups/delete_property/${query}`, body);
    const [status, group] = await remove({ $unset: 'industry' });
    expect([status, group.group_properties]).toEqual([200, { name: 'Made', nothing: null }]);
    await remove({ $unset: 'nothing' });
    expect(await inEvents('made')).toEqual([{ name: 'Made' }]);
    expect(await remove({ $unset: 'industry' })).toMatchObject([400, { code: 'invalid_input', attr: '$unset' }]);
    expect(await remove({ $unset: 'toString' })).toMatchObject([400, { attr: '$unset' }]);
    expect(await remove({ $unset: ['name'] })).toEqual([400, invalid('Not a valid string.', '$unset')]);
    expect(await remove({})).toEqual([400, invalid('This field is required.', '$unset', 'required')]);
    expect(await remove({ $unset: 'name' }, '?group_type_index=0&group_key=none')).toEqual([404, NOT_FOUND]);
    expect(await inEvents('made')).toEqual([{ name: 'Made' }]);
  });

  test('what capture says later goes on top of it', async () => {
    await capture(identify('company', 'made', { size: 7 }));
    expect(await inEvents('made')).toEqual([{ name: 'Made', size: 7 }]);
  });

  test('changes are made up for when the event store is away', async () => {
    const { events } = service.deps;
    const insert = events.insert;
    events.insert = () => Promise.reject(new EventsUnavailable());
    const changed = await answer('POST', `/groups/update_property/${one}`, { key: 'size', value: 8 });
    events.insert = insert;
    expect(changed).toMatchObject([200, { group_properties: { size: 8 } }]);
    expect(await inEvents('made')).toEqual([{ name: 'Made', size: 7 }]);
    await recoverOutbox(service.deps);
    expect(await inEvents('made')).toEqual([{ name: 'Made', size: 8 }]);
  });

  test('changes are in the activity log of groups, and of each', async () => {
    const log = await get(`/groups/activity/${one}`);
    const told = log.results.map((entry: { activity: string; detail: { changes: { field: string; action: string }[] } }) => [
      entry.activity,
      ...entry.detail.changes.map(({ action, field }) => `${action} ${field}`),
    ]);
    expect(told).toEqual([
      ['updated', 'changed size'],
      ['updated', 'deleted industry'],
      ['updated', 'changed industry'],
      ['created'],
    ]);
    expect(log.results[2]).toMatchObject({
      scope: 'Group',
      user: { email: 'owner@example.com' },
      detail: { name: 'Made', changes: [{ type: 'Group', before: 'toys', after: ['a', null] }] },
    });
    expect((await get('/groups/activity/')).count).toBeGreaterThan(log.count);
    expect(await answer('GET', '/groups/activity/?group_type_index=0&group_key=none')).toEqual([404, NOT_FOUND]);
  });
});

describe('who may', () => {
  test('keys need group:read and group:write', async () => {
    const scopes = (scope: string) =>
      service.deps.db
        .updateTable('personal_api_keys')
        .set({ scopes: [scope] })
        .execute();
    const missing = (scope: string) => [403, expect.objectContaining({ detail: `API key missing required scope '${scope}'` })];
    await scopes('group:read');
    expect((await answer('GET', '/groups/?group_type_index=0'))[0]).toBe(200);
    expect((await answer('GET', '/groups_types/'))[0]).toBe(200);
    expect(await answer('POST', '/groups/', {})).toEqual(missing('group:write'));
    expect(await answer('POST', '/groups/update_property/', {})).toEqual(missing('group:write'));
    expect(await answer('POST', '/groups/delete_property/', {})).toEqual(missing('group:write'));
    expect(await answer('PATCH', '/groups_types/update_metadata/', [])).toEqual(missing('group:write'));
    expect(await answer('GET', '/groups/activity/')).toEqual(missing('activity_log:read'));
    await scopes('person:write');
    for (const path of ['?group_type_index=0', 'find/', 'related/', 'property_definitions/', 'property_values/']) {
      expect(await answer('GET', `/groups/${path}`)).toEqual(missing('group:read'));
    }
    await scopes('*');
  });

  test('nothing of another project is seen or changed', async () => {
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
    expect(await keys('', 3)).toEqual([]);
    expect((await answer('GET', '/groups/find/?group_type_index=3&group_key=foreign'))[0]).toBe(404);
    expect((await answer('POST', '/groups/update_property/?group_type_index=3&group_key=foreign', {}))[0]).toBe(404);
    expect((await answer('POST', '/groups/delete_property/?group_type_index=3&group_key=foreign', {}))[0]).toBe(404);
    expect(await get('/groups/related/?id=foreign&group_type_index=3')).toEqual([]);
    expect(await get('/groups/property_definitions/')).not.toHaveProperty('3');
    expect(await get('/groups/property_values/?group_type_index=3&key=name')).toEqual([]);
    for (const path of ['groups/?group_type_index=3', 'groups_types/', 'groups/related/?id=foreign&group_type_index=3']) {
      expect((await service.call('GET', `/api/projects/${other}/${path}`)).statusCode).toBe(403);
    }
    expect((await service.call('GET', `/api/${other}/groups_types/`)).statusCode).toBe(403);
    expect((await service.call('DELETE', `${base}/groups/`)).statusCode).toBe(405);
  });
});

test('no query and no body of any shape makes a fault of ours', async () => {
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
    { numRuns: 300 },
  );
}, 60_000);
