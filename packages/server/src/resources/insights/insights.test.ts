import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';

const QUERY = { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }] } };

let app: AccountsApp;
let me: Caller;
let project: string;
let round = 0;

beforeAll(async () => {
  app = await startAccountsApp();
  me = { key: app.owner.key };
});
afterAll(() => app.close());
beforeEach(async () => {
  round += 1;
  const made = await app.call(me, 'POST', '/api/projects/', { name: `P${round}` });
  project = `/api/environments/${made.json().id}`;
});

async function ok(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown, who: Caller = me) {
  const answer = await app.call(who, method, `${project}${path}`, body);
  expect([answer.statusCode, answer.statusCode < 300 || answer.json()]).toEqual([method === 'POST' ? 201 : 200, true]);
  return answer.body === '' ? null : answer.json();
}
const create = (fields: object = {}, who: Caller = me) => ok('POST', '/insights/', fields, who);
const patch = (id: number | string, fields: object, who: Caller = me) => ok('PATCH', `/insights/${id}/`, fields, who);
const get = (id: number | string) => ok('GET', `/insights/${id}/`);
const dashboard = async (fields: object = {}): Promise<number> => (await ok('POST', '/dashboards/', { name: 'D', ...fields })).id;
const refusal = async (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown, who: Caller = me) => {
  const answer = await app.call(who, method, `${project}${path}`, body);
  const { code, detail, attr } = answer.json();
  return [answer.statusCode, code, attr, detail];
};
const names = async (query = '') => {
  const page = await ok('GET', `/insights/${query}`);
  return page.results.map(({ name }: { name: string }) => name);
};
const log = async (id: number) =>
  (await ok('GET', `/insights/${id}/activity/`)).results.map(
    (entry: { activity: string; detail: { changes: { field: string; before: unknown; after: unknown }[] } }) => [
      entry.activity,
      ...entry.detail.changes.map(({ field, before, after }) => [field, before, after]),
    ],
  );

describe('fact 13.5 insights', () => {
  test('fact 13.5 a new insight has every field, and the fields of a result are empty', async () => {
    const board = await dashboard();
    const made = await create({
      name: 'Sign-ups',
      query: QUERY,
      dashboards: [board],
      description: 'a day',
      tags: [' Growth', 'growth', 'x'],
      favorited: 'true',
      saved: true,
      order: '3',
    });
    const user = (await app.call(me, 'GET', '/api/users/@me/')).json();
    const { id, uuid, distinct_id, first_name, last_name, email, is_email_verified, hedgehog_config } = user;
    const owner = { id, uuid, distinct_id, first_name, last_name, email, is_email_verified, hedgehog_config };
    expect(made).toEqual({
      id: expect.any(Number),
      short_id: expect.stringMatching(/^[\w-]{8}$/),
      name: 'Sign-ups',
      derived_name: null,
      query: QUERY,
      filters: {},
      order: 3,
      deleted: false,
      dashboards: [board],
      dashboard_tiles: [{ id: expect.any(Number), dashboard_id: board, deleted: false }],
      last_refresh: null,
      complete_until: null,
      cache_target_age: null,
      next_allowed_client_refresh: null,
      result: null,
      hasMore: null,
      columns: null,
      types: null,
      hogql: null,
      is_cached: false,
      query_status: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/),
      created_by: owner,
      description: 'a day',
      updated_at: made.created_at,
      tags: ['growth', 'x'],
      favorited: true,
      saved: true,
      last_modified_at: made.created_at,
      last_modified_by: owner,
      is_sample: false,
      effective_restriction_level: 21,
      effective_privilege_level: 37,
      user_access_level: 'manager',
      timezone: 'UTC',
    });
    expect(await get(made.id)).toEqual(made);
    expect(await get(made.short_id)).toEqual(made);
    expect(
      (await app.call(me, 'GET', `${project.replace('environments', 'projects')}/insights/${made.short_id}`)).json(),
    ).toEqual(made);
    const { tiles } = await ok('GET', `/dashboards/${board}/`);
    expect(tiles).toMatchObject([{ id: made.dashboard_tiles[0].id, insight: { id: made.id, query: QUERY }, text: null }]);
  });

  test('fact 13.5 create needs no field, and ignores read-only and unknown fields', async () => {
    const made = await create({ short_id: 'mine', is_sample: true, created_by: 7, result: [1], whatever: 1, description: null });
    expect(made).toMatchObject({
      name: null,
      query: null,
      filters: {},
      description: '',
      tags: [],
      saved: false,
      favorited: false,
      order: null,
      dashboards: [],
      is_sample: false,
      result: null,
    });
    expect(made.short_id).not.toBe('mine');
  });

  test('filters, the legacy form of a query, are converted to a query', async () => {
    const filters = { insight: 'TRENDS', events: [{ id: 'nothing', math: 'dau', order: 0 }], date_from: '-3d', interval: 'day' };
    const made = await create({ filters });
    const source = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'nothing', math: 'dau' }],
      dateRange: { date_from: '-3d' },
      interval: 'day',
    };
    expect(made).toMatchObject({ filters, query: { kind: 'InsightVizNode', source } });
    const changed = await patch(made.id, { filters: { ...filters, insight: 'LIFECYCLE' } });
    expect(changed.query.source.kind).toBe('LifecycleQuery');
    const refused = await app.call(me, 'PATCH', `${project}/insights/${made.id}/`, {
      filters: { ...filters, events: [{ id: 'nothing', type: 'new' }] },
    });
    expect([refused.statusCode, refused.json().attr]).toEqual([400, 'filters__events__0__type']);
    // who sends a query besides means that
    expect((await patch(made.id, { filters: { events: [{ id: 'x', type: 'new' }] }, query: QUERY })).query).toEqual(QUERY);
  });

  test('fact 13.5 PATCH and PUT change only the fields of the body; a change of the content updates its user and time', async () => {
    const member = await app.invite(`editor${round}@example.com`);
    const made = await create({ name: 'Before', tags: ['a'], query: QUERY });
    app.advance(5000);
    const marked = await patch(made.id, { favorited: 1, tags: ['B', 'b '] }, member);
    expect(marked).toMatchObject({ name: 'Before', favorited: true, tags: ['b'], last_modified_at: made.last_modified_at });
    expect(marked.updated_at > made.updated_at).toBe(true);
    expect(marked.last_modified_by).toEqual(made.last_modified_by);
    const renamed = await ok(
      'PUT',
      `/insights/${made.short_id}/`,
      { name: null, tags: null, filters: { insight: 'TRENDS' } },
      member,
    );
    expect(renamed).toMatchObject({
      name: null,
      tags: ['b'],
      query: QUERY,
      filters: { insight: 'TRENDS' },
      last_modified_by: { email: `editor${round}@example.com` },
      created_by: made.created_by,
    });
    expect(renamed.last_modified_at > made.last_modified_at).toBe(true);
    const cleared = await patch(made.id, { query: null, filters: null, description: null, order: null });
    expect(cleared).toMatchObject({ query: null, filters: {}, description: '', order: null });
    expect(await patch(made.id, {})).toEqual(cleared);
  });

  test('fact 13.5 PATCH deleted=true deletes softly and removes its tiles; deleted=false restores; DELETE is 405', async () => {
    const board = await dashboard();
    const made = await create({ name: 'Gone', dashboards: [board] });
    const gone = await patch(made.id, { deleted: true });
    expect(gone).toMatchObject({ id: made.id, deleted: true, dashboards: [], dashboard_tiles: [] });
    expect(await refusal('GET', `/insights/${made.id}/`)).toEqual([404, 'not_found', null, 'Not found.']);
    expect(await refusal('PATCH', `/insights/${made.id}/`, { name: 'x' })).toEqual([404, 'not_found', null, 'Not found.']);
    expect(await refusal('PATCH', `/insights/${made.id}/`, { deleted: true })).toEqual([404, 'not_found', null, 'Not found.']);
    expect(await refusal('PATCH', `/insights/${made.id}/`, { deleted: 'maybe' })).toEqual([404, 'not_found', null, 'Not found.']);
    expect(await names()).toEqual([]);
    expect((await ok('GET', `/dashboards/${board}/`)).tiles).toEqual([]);
    expect(await patch(made.id, { deleted: 'false', name: 'Back', dashboards: [board] })).toMatchObject({
      deleted: false,
      name: 'Back',
      dashboards: [board],
      dashboard_tiles: made.dashboard_tiles,
    });
    expect(await refusal('DELETE', `/insights/${made.id}/`)).toEqual([
      405,
      'method_not_allowed',
      null,
      'Method "DELETE" not allowed.',
    ]);
    expect(await names()).toEqual(['Back']);
  });

  test('fact 5.8 an insight sets its dashboards: it is added, removed and restored; deleted dashboards are ignored', async () => {
    const [a, b] = [await dashboard(), await dashboard()];
    const made = await create({ dashboards: [b, String(a), b] });
    expect(made.dashboards).toEqual([b, a]);
    expect((await patch(made.id, { dashboards: [a] })).dashboards).toEqual([a]);
    expect((await patch(made.id, { dashboards: [a, b] })).dashboard_tiles).toEqual(made.dashboard_tiles);
    await ok('PATCH', `/dashboards/${b}/`, { deleted: true });
    expect((await get(made.id)).dashboards).toEqual([a]);
    expect(await refusal('PATCH', `/insights/${made.id}/`, { dashboards: [a, b], name: 'x' })).toEqual([
      400,
      'does_not_exist',
      'dashboards',
      `Invalid pk "${b}" - object does not exist.`,
    ]);
    expect(await get(made.id)).toMatchObject({ name: null, dashboards: [a] });
    expect((await patch(made.id, { dashboards: [] })).dashboards).toEqual([]);
  });
});

test.each([
  [{ name: 'x'.repeat(401) }, 'max_length', 'name', 'Ensure this field has no more than 400 characters.'],
  [{ name: {} }, 'invalid_input', 'name', 'Not a valid string.'],
  [{ derived_name: [] }, 'invalid_input', 'derived_name', 'Not a valid string.'],
  [{ query: 'TrendsQuery' }, 'invalid_input', 'query', 'Expected a query: an object with a kind.'],
  [{ query: {} }, 'invalid_input', 'query', 'Expected a query: an object with a kind.'],
  [{ query: { kind: 'Nonsense' } }, 'invalid_choice', 'query', '"Nonsense" is not a valid choice.'],
  [{ query: { kind: 5 } }, 'invalid_choice', 'query', '5 is not a valid choice.'],
  [{ query: { kind: 'InsightVizNode' } }, 'invalid_input', 'query', 'InsightVizNode needs a source.'],
  [{ query: { kind: 'InsightVizNode', source: { kind: 'X' } } }, 'invalid_choice', 'query', '"X" is not a valid choice.'],
  [
    { query: { kind: 'DataTableNode', source: { kind: 'InsightVizNode' } } },
    'invalid_choice',
    'query',
    '"InsightVizNode" is not a valid choice.',
  ],
  [{ filters: [] }, 'invalid_input', 'filters', 'Not a valid object.'],
  [{ order: 'x' }, 'invalid_input', 'order', 'A valid integer is required.'],
  [{ deleted: null }, 'null', 'deleted', 'This field may not be null.'],
  [{ dashboards: 5 }, 'not_a_list', 'dashboards', 'Expected a list of items but got type "int".'],
  [{ dashboards: null }, 'null', 'dashboards', 'This field may not be null.'],
  [{ dashboards: ['x'] }, 'incorrect_type', 'dashboards', 'Incorrect type. Expected pk value, received str.'],
  [{ dashboards: [true] }, 'incorrect_type', 'dashboards', 'Incorrect type. Expected pk value, received bool.'],
  [{ dashboards: [99_999_999] }, 'does_not_exist', 'dashboards', 'Invalid pk "99999999" - object does not exist.'],
  [{ dashboards: [-1] }, 'does_not_exist', 'dashboards', 'Invalid pk "-1" - object does not exist.'],
  [{ dashboards: [1e15] }, 'does_not_exist', 'dashboards', 'Invalid pk "1000000000000000" - object does not exist.'],
  [{ description: [] }, 'invalid_input', 'description', 'Not a valid string.'],
  [{ tags: ['x'.repeat(256)] }, 'max_length', 'tags__0', 'Ensure this field has no more than 255 characters.'],
  [{ tags: 'x' }, 'not_a_list', 'tags', 'Expected a list of items but got type "str".'],
  [{ favorited: 'maybe' }, 'invalid_input', 'favorited', 'Must be a valid boolean.'],
  [{ saved: null, tags: 1, name: 1e3, query: 1 }, 'invalid_input', 'query', 'Expected a query: an object with a kind.'],
])('fact 2.3 %j is refused as %s of %s', async (body, code, attr, detail) => {
  expect(await refusal('POST', '/insights/', body)).toEqual([400, code, attr, detail]);
  const { id } = await create({ name: 'untouched' });
  expect(await refusal('PATCH', `/insights/${id}/`, body)).toEqual([400, code, attr, detail]);
  expect((await ok('GET', '/insights/')).count).toBe(1);
  expect((await get(id)).name).toBe('untouched');
});

test.each([
  'TrendsQuery',
  'FunnelsQuery',
  'RetentionQuery',
  'PathsQuery',
  'StickinessQuery',
  'LifecycleQuery',
  'HogQLQuery',
  'EventsQuery',
])('fact 13.5 %s is accepted, bare and wrapped, and returned as it was sent', async (kind) => {
  for (const query of [
    { kind },
    ...['InsightVizNode', 'DataVisualizationNode', 'DataTableNode'].map((wrapper) => ({
      kind: wrapper,
      source: { kind, a: [1, null] },
    })),
  ]) {
    expect((await create({ query })).query).toEqual(query);
  }
});

describe('fact 13.5 list', () => {
  test('fact 11 pages by limit and offset, last modified first', async () => {
    for (const name of ['a', 'b', 'c']) {
      app.advance(1000);
      await create({ name });
    }
    const page = await ok('GET', '/insights/?limit=2&search=');
    expect(Object.keys(page)).toEqual(['count', 'next', 'previous', 'results']);
    expect([page.count, page.previous, page.results.map(({ name }: { name: string }) => name)]).toEqual([3, null, ['c', 'b']]);
    const next = (await app.call(me, 'GET', page.next)).json();
    expect([next.count, next.next, next.results[0].name]).toEqual([3, null, 'a']);
    expect((await app.call(me, 'GET', next.previous)).json().results).toEqual(page.results);
    expect(await ok('GET', '/insights/?offset=50')).toMatchObject({ count: 3, next: null, results: [] });
    expect(await ok('GET', '/insights/?limit=0&offset=x')).toMatchObject({ count: 3, next: null });
    expect(await names('?order=name')).toEqual(['a', 'b', 'c']);
    expect(await names('?order=-created_at')).toEqual(['c', 'b', 'a']);
    expect(await names('?order=password')).toEqual(['c', 'b', 'a']);
  });

  test('fact 13.5 basic lists have no results and no fields of results', async () => {
    const made = await create({ name: 'a', query: QUERY });
    const [full] = (await ok('GET', '/insights/?basic=0')).results;
    expect(full).toEqual(made);
    const [basic] = (await ok('GET', '/insights/?basic=true')).results;
    expect(made).toMatchObject(basic);
    expect(basic).not.toHaveProperty('result');
    expect(basic).toMatchObject({ name: 'a', query: QUERY, dashboards: [] });
  });

  test('fact 13.5 filters', async () => {
    const member = await app.invite(`lister${round}@example.com`);
    const [d1, d2] = [await dashboard(), await dashboard()];
    const plain = await create({ name: 'Plain 100%', description: 'nothing' });
    const mine = await create({ derived_name: 'derived', name: 'Mine', tags: ['Alpha', 'beta'], saved: true }, member);
    await create({ name: 'Fav', favorited: true, dashboards: [d1, d2], description: 'has needle_x' });
    app.advance(86_400_000 * 3);
    await create({ name: 'Late', dashboards: [d1], tags: ['alpha'] });
    const day = new Date(app.deps.clock.now()).toISOString().slice(0, 10);
    const found: [string, string[]][] = [
      [`short_id=${plain.short_id}`, ['Plain 100%']],
      ['short_id=nope', []],
      ['saved=true', ['Late', 'Fav', 'Mine']],
      ['saved=false', ['Late', 'Fav', 'Plain 100%']],
      ['favorited=true', ['Fav']],
      ['favorited=0', ['Late', 'Mine', 'Plain 100%']],
      ['user=true', ['Late', 'Fav', 'Plain 100%']],
      ['user=', ['Late', 'Fav', 'Mine', 'Plain 100%']],
      [`created_by=${mine.created_by.id}`, ['Mine']],
      [`created_by=[${mine.created_by.id},${plain.created_by.id}]`, ['Late', 'Fav', 'Mine', 'Plain 100%']],
      ['search=100%25', ['Plain 100%']],
      ['search=100_', []],
      ['search=NEEDLE_X', ['Fav']],
      ['search=DERIV', ['Mine']],
      ['search=lph', ['Late', 'Mine']],
      ['tags=ALPHA', ['Late', 'Mine']],
      ['tags=alpha&tags=beta', ['Mine']],
      ['tags=["alpha","beta"]', ['Mine']],
      ['tags=', ['Late', 'Fav', 'Mine', 'Plain 100%']],
      [`dashboards=[${d1}]`, ['Late', 'Fav']],
      [`dashboards=${d1},${d2}`, ['Fav']],
      ['date_from=-1d', ['Late']],
      ['date_to=-1d', ['Fav', 'Mine', 'Plain 100%']],
      [`date_from=${day}`, ['Late']],
      [`date_to=${day}`, ['Late', 'Fav', 'Mine', 'Plain 100%']],
      ['date_from=all', ['Late', 'Fav', 'Mine', 'Plain 100%']],
      ['unknown=1', ['Late', 'Fav', 'Mine', 'Plain 100%']],
    ];
    for (const [query, expected] of found) expect([query, await names(`?${query}&order=-id`)]).toEqual([query, expected]);
    expect(await refusal('GET', '/insights/?created_by=ann')).toEqual([
      400,
      'invalid_input',
      'created_by',
      'A valid integer is required.',
    ]);
    expect((await refusal('GET', '/insights/?dashboards=[')).slice(0, 3)).toEqual([400, 'not_a_list', 'dashboards']);
    expect((await refusal('GET', '/insights/?date_from=soon')).slice(0, 3)).toEqual([400, 'invalid_input', 'date_from']);
  });

  test('my_last_viewed: the last five insights that the user viewed, without deleted ones', async () => {
    const made = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) made.push(await create({ name }));
    for (const { id } of made) {
      app.advance(1000);
      expect(await ok('POST', `/insights/${id}/viewed/`)).toEqual({ id, last_viewed_at: expect.any(String) });
    }
    app.advance(1000);
    await ok('POST', `/insights/${made[3].short_id}/viewed/`);
    await patch(made[6].id, { deleted: true });
    const seen = await ok('GET', '/insights/my_last_viewed/');
    expect(seen.map(({ name }: { name: string }) => name)).toEqual(['d', 'f', 'e', 'c', 'b']);
    const member = await app.invite(`viewer${round}@example.com`);
    expect(await ok('GET', '/insights/my_last_viewed/', undefined, member)).toEqual([]);
    expect(await refusal('POST', `/insights/${made[6].id}/viewed/`)).toEqual([404, 'not_found', null, 'Not found.']);
  });
});

test('fact 13.12 the activity log has the user and each change of an insight', async () => {
  const board = await dashboard();
  const { id, short_id } = await create({ name: 'A' });
  await patch(id, { name: 'B', saved: true });
  await patch(id, { name: 'B' });
  await patch(id, { dashboards: [board] });
  await patch(id, { deleted: true });
  await patch(id, { deleted: false });
  expect(await log(id)).toEqual([
    ['restored', ['deleted', true, false]],
    ['deleted', ['dashboards', [board], []], ['deleted', false, true]],
    ['updated', ['dashboards', [], [board]]],
    ['updated', ['name', 'A', 'B'], ['saved', false, true]],
    ['created'],
  ]);
  const [entry] = (await ok('GET', '/activity_log/?scope=Insight')).results;
  expect(entry).toMatchObject({ scope: 'Insight', item_id: String(id), detail: { name: 'B', short_id } });
});
