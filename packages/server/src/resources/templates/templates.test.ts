import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';
import { testProject } from '../../testing/people.js';
import { DEFAULT_APP } from './built-in.js';

const PATH = 'dashboard_templates/';
const TILES = [{ type: 'TEXT', body: 'Hello' }];

let it: AccountsApp;
let project: OwnProject;
let member: Caller;
let ownerId: number;
beforeAll(async () => {
  it = await startAccountsApp();
  project = await ownProject(it);
  member = await it.invite('member@example.com');
  ownerId = (await it.call({ key: it.owner.key }, 'GET', '/api/users/@me/')).json().id;
});
afterAll(() => it.close());

const make = async (fields: object) => {
  const answer = await project.call('POST', PATH, { tiles: TILES, ...fields });
  expect(answer.statusCode).toBe(201);
  return answer.json();
};
const get = async (path: string) => {
  const answer = await project.call('GET', path);
  expect(answer.statusCode).toBe(200);
  return answer.json();
};
const names = async (query = '') =>
  (await get(`${PATH}?${query}`)).results.map((one: { template_name: string }) => one.template_name);

const refusal = (detail: string, code: string, attr: string | null) => ({ type: 'validation_error', code, detail, attr });
const TILE_TYPES = 'Expected a tile: an object whose type is INSIGHT or TEXT.';
const NO_EDIT = {
  type: 'authentication_error',
  code: 'permission_denied',
  detail: "You don't have edit permissions for this dashboard template.",
  attr: null,
};
const NOT_FOUND = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null };

test('a template is created, retrieved and listed with all its fields', async () => {
  const tile = {
    type: 'INSIGHT',
    name: 'Visits',
    query: { kind: 'TrendsQuery', series: [] },
    layouts: { sm: { x: 0 } },
    extra: [1],
  };
  const made = await make({
    template_name: ' Weekly ',
    dashboard_description: 'Mondays',
    dashboard_filters: { date_from: '-7d' },
    tags: [' Growth', 'growth', 'B'],
    tiles: [tile, ...TILES],
    variables: [{ id: 'SIGN_UP', name: 'Sign-up', type: 'event' }],
    image_url: 'https://example.com/a.png',
    id: 'mine',
    created_by: 7,
    team_id: 7,
  });
  expect(made).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    template_name: 'Weekly',
    dashboard_description: 'Mondays',
    dashboard_filters: { date_from: '-7d' },
    tags: ['growth', 'b'],
    tiles: [
      { ...tile, description: '', filters: {}, color: null },
      { ...TILES[0], layouts: {}, color: null },
    ],
    variables: [{ id: 'SIGN_UP', name: 'Sign-up', type: 'event' }],
    deleted: false,
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    created_by: ownerId,
    image_url: 'https://example.com/a.png',
    team_id: project.id,
    scope: 'team',
  });
  expect(await get(`${PATH}${made.id}/`)).toEqual(made);
  expect((await get(`${PATH}?scope=team`)).results).toContainEqual(made);
  expect(await make({ template_name: 'Bare', tags: null, variables: null })).toMatchObject({
    dashboard_description: '',
    dashboard_filters: {},
    tags: [],
    variables: [],
    image_url: null,
  });
});

describe('the list of templates', () => {
  let own: OwnProject;
  const add = (fields: object) => own.call('POST', PATH, { tiles: TILES, ...fields });
  const list = async (query = '') =>
    (await own.call('GET', `${PATH}?${query}`)).json().results.map((one: { template_name: string }) => one.template_name);
  const BUILT_IN = ['Product analytics', 'Website traffic', 'Retention', 'Acquisition'];
  beforeAll(async () => {
    own = await ownProject(it);
    await add({ template_name: 'Zebra', dashboard_description: '100% stripes' });
    await add({ template_name: 'Apple', tags: ['Fruit'] });
    await add({ template_name: 'Flag', scope: 'feature_flag' });
    const template = { template_name: 'Instance', tiles: JSON.stringify(TILES), created_at: new Date() };
    await it.deps.db
      .insertInto('dashboard_templates')
      .values({ id: it.deps.ids.uuid(), scope: 'global', ...template })
      .execute();
  });

  test('the built-in templates come first, as templates of the whole instance, then the others by name', async () => {
    expect(await list()).toEqual([...BUILT_IN, 'Apple', 'Flag', 'Instance', 'Zebra']);
    const [first] = (await own.call('GET', PATH)).json().results;
    expect(first).toMatchObject({ scope: 'global', team_id: null, created_by: null, template_name: DEFAULT_APP.template_name });
    expect(first.tiles).toEqual(DEFAULT_APP.tiles);
    expect((await own.call('GET', `${PATH}${first.id}/`)).json()).toEqual(first);
  });

  test.each([
    ['scope=global', [...BUILT_IN, 'Instance']],
    ['scope=team', ['Apple', 'Flag', 'Zebra']],
    ['scope=feature_flag', ['Flag']],
    ['scope=nonsense', [...BUILT_IN, 'Apple', 'Flag', 'Instance', 'Zebra']],
    ['search=ZEB', ['Zebra']],
    ['search=100%25', ['Zebra']],
    ['search=fruit', ['Apple']],
    ['search=website', ['Website traffic']],
    ['search=product&scope=team', []],
    ['search=', [...BUILT_IN, 'Apple', 'Flag', 'Instance', 'Zebra']],
  ])('?%s', async (query, expected) => expect(await list(query)).toEqual(expected));

  test('pages of any size have each template once', async () => {
    const whole = await list();
    for (const limit of [1, 2, 3, 5]) {
      const pages = [];
      for (let offset = 0; offset < whole.length; offset += limit) {
        const page = (await own.call('GET', `${PATH}?limit=${limit}&offset=${offset}`)).json();
        expect(page.count).toBe(whole.length);
        expect(page.next === null).toBe(offset + limit >= whole.length);
        pages.push(...page.results.map((one: { template_name: string }) => one.template_name));
      }
      expect(pages).toEqual(whole);
    }
    expect(await list('offset=100')).toEqual([]);
  });
});

test('a template is partially updated, deleted softly and restored', async () => {
  const made = await make({ template_name: 'Changing' });
  const url = `${PATH}${made.id}/`;
  const changed = await project.call('PATCH', url, { dashboard_description: 'New', tags: ['A'], deleted: 'false', team_id: 1 });
  expect([changed.statusCode, changed.json()]).toEqual([200, { ...made, dashboard_description: 'New', tags: ['a'] }]);
  expect((await project.call('PATCH', url, {})).json()).toEqual(changed.json());
  const deleted = await project.call('PATCH', url, { deleted: true });
  expect([deleted.statusCode, deleted.json().deleted]).toEqual([200, true]);
  for (const gone of [await project.call('GET', url), await project.call('PATCH', url, { tags: [] })]) {
    expect([gone.statusCode, gone.json()]).toEqual([404, NOT_FOUND]);
  }
  expect(await names('search=Changing')).toEqual([]);
  await make({ template_name: 'Changing', dashboard_description: 'the next one' });
  const taken = await project.call('PATCH', url, { deleted: false });
  expect(taken.json()).toMatchObject({ code: 'unique', attr: 'template_name' });
  const restored = await project.call('PATCH', url, { deleted: false, template_name: 'Restored' });
  expect([restored.statusCode, restored.json()]).toEqual([200, { ...changed.json(), template_name: 'Restored' }]);
});

test.each(['DELETE', 'PUT'] as const)('%s of one template: 405', async (method) => {
  const { id } = await make({ template_name: `No ${method}` });
  const answer = await project.call(method, `${PATH}${id}/`, { template_name: 'x', tiles: TILES });
  expect([answer.statusCode, answer.json().detail]).toEqual([405, `Method "${method}" not allowed.`]);
  expect((await project.call('GET', `${PATH}${id}/`)).statusCode).toBe(200);
});

test('names are unique in a project, also with concurrent requests', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => project.call('POST', PATH, { template_name: 'Wanted', tiles: TILES })),
  );
  expect(answers.map((one) => one.statusCode).sort()).toEqual([201, ...Array(7).fill(400)]);
  expect(answers.find((one) => one.statusCode === 400)?.json()).toEqual(
    refusal('There is already a dashboard template with this name.', 'unique', 'template_name'),
  );
  const other = await ownProject(it);
  expect((await other.call('POST', PATH, { template_name: 'Wanted', tiles: TILES })).statusCode).toBe(201);
  const { id } = await make({ template_name: 'Not wanted' });
  expect((await project.call('PATCH', `${PATH}${id}/`, { template_name: 'Wanted' })).json().code).toBe('unique');
});

test.each([
  [{}, refusal('This field is required.', 'required', 'template_name')],
  [{ template_name: ' ', tiles: TILES }, refusal('This field may not be blank.', 'blank', 'template_name')],
  [{ template_name: 'x' }, refusal('This field is required.', 'required', 'tiles')],
  [{ template_name: 'x', tiles: [] }, refusal('A template needs at least one tile.', 'invalid_input', 'tiles')],
  [{ template_name: 'x', tiles: {} }, refusal('Expected a list of items but got type "dict".', 'not_a_list', 'tiles')],
  [{ template_name: 'x', tiles: [{ type: 'TEXT' }] }, refusal('This field is required.', 'required', 'tiles__0__body')],
  [
    { template_name: 'x', tiles: TILES, image_url: 'javascript:alert(1)' },
    refusal('Enter a valid URL.', 'invalid_input', 'image_url'),
  ],
  [{ template_name: 'x', tiles: [{ type: 'TEA' }] }, refusal(TILE_TYPES, 'invalid_choice', 'tiles__0__type')],
  [{ template_name: 'x', tiles: [{}] }, refusal(TILE_TYPES, 'required', 'tiles__0__type')],
  [{ template_name: 'x', tiles: TILES, scope: 'global' }, refusal('"global" is not a valid choice.', 'invalid_choice', 'scope')],
])('%j is refused', async (body, expected) => {
  const answer = await project.call('POST', PATH, body);
  expect([answer.statusCode, answer.json()]).toEqual([400, expected]);
});

describe('access to templates', () => {
  test('members read and do not write, for any body', async () => {
    const { id } = await make({ template_name: 'For all' });
    expect((await project.call('GET', PATH, undefined, member)).statusCode).toBe(200);
    expect((await project.call('GET', `${PATH}${id}/`, undefined, member)).statusCode).toBe(200);
    for (const answer of [
      await project.call('POST', PATH, {}, member),
      await project.call('PATCH', `${PATH}${id}/`, { tags: 7 }, member),
      await project.call('PATCH', `${PATH}nothing/`, {}, member),
    ]) {
      expect([answer.statusCode, answer.json()]).toEqual([403, NO_EDIT]);
    }
  });

  test('administrators of a project cannot change templates of the whole instance', async () => {
    const id = it.deps.ids.uuid();
    await it.deps.db
      .insertInto('dashboard_templates')
      .values({ id, scope: 'global', template_name: 'Untouchable', tiles: JSON.stringify(TILES), created_at: new Date() })
      .execute();
    const builtIn = (await get(`${PATH}?scope=global`)).results[0].id;
    for (const one of [id, builtIn, builtIn.toUpperCase()]) {
      const answer = await project.call('PATCH', `${PATH}${one}/`, { deleted: true });
      expect([answer.statusCode, answer.json()]).toEqual([403, NO_EDIT]);
    }
  });

  test('keys need dashboard_template:read and :write', async () => {
    const key = async (scope: string) => ({ key: (await it.makeKey(it.owner.cookie, { scopes: [scope] })).key });
    const [reader, writer, none] = await Promise.all([
      key('dashboard_template:read'),
      key('dashboard_template:write'),
      key('dashboard:write'),
    ]);
    const lacks = (scope: string) => `API key missing required scope 'dashboard_template:${scope}'`;
    expect((await project.call('GET', PATH, undefined, reader)).statusCode).toBe(200);
    expect((await project.call('GET', PATH, undefined, none)).json().detail).toBe(lacks('read'));
    expect((await project.call('POST', PATH, {}, reader)).json().detail).toBe(lacks('write'));
    expect((await project.call('POST', PATH, { template_name: 'By key', tiles: TILES }, writer)).statusCode).toBe(201);
  });

  test('templates of another project and unknown ones are not found', async () => {
    const theirs = it.deps.ids.uuid();
    await it.deps.db
      .insertInto('dashboard_templates')
      .values({
        id: theirs,
        project_id: await testProject(it.deps.db),
        template_name: 'Theirs',
        tiles: JSON.stringify(TILES),
        created_at: new Date(),
      })
      .execute();
    expect(await names('search=Theirs')).toEqual([]);
    for (const id of [theirs, it.deps.ids.uuid(), 'x', '1', '%00']) {
      for (const answer of [
        await project.call('GET', `${PATH}${id}/`),
        await project.call('PATCH', `${PATH}${id}/`, { tags: 7 }),
      ]) {
        expect([answer.statusCode, answer.json()]).toEqual([404, NOT_FOUND]);
      }
    }
  });
});

test('a dashboard is made from a template of the project by its name', async () => {
  await make({ template_name: 'Start here', dashboard_description: 'Notes', dashboard_filters: { date_from: '-1d' } });
  const answer = await project.call('POST', 'dashboards/', { use_template: 'Start here' });
  expect(answer.statusCode).toBe(201);
  expect(answer.json()).toMatchObject({
    name: 'Start here',
    description: 'Notes',
    filters: { date_from: '-1d' },
    creation_mode: 'template',
    tiles: [{ text: { body: 'Hello' }, insight: null }],
  });
});

test('the activity log has the changes of a template', async () => {
  const { id } = await make({ template_name: 'Logged' });
  await project.call('PATCH', `${PATH}${id}/`, { dashboard_description: 'New' });
  await project.call('PATCH', `${PATH}${id}/`, { deleted: true });
  await project.call('PATCH', `${PATH}${id}/`, { deleted: false });
  const entries = await it.deps.db
    .selectFrom('activity_log')
    .select(['activity', 'detail'])
    .where('item_id', '=', id)
    .orderBy('id')
    .execute();
  expect(entries).toMatchObject([
    { activity: 'created', detail: { name: 'Logged' } },
    { activity: 'updated', detail: { changes: [{ field: 'dashboard_description', before: '', after: 'New' }] } },
    { activity: 'deleted' },
    { activity: 'restored' },
  ]);
});

test('any body is accepted or refused with a documented error', async () => {
  const { id } = await make({ template_name: 'Any' });
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('\0', '\ud800', 'x'.repeat(500), 1e300, TILES));
  const tile = fc.record(
    { type: fc.constantFrom('TEXT', 'INSIGHT'), body: value, query: value, layouts: value, color: value },
    { requiredKeys: ['type'] },
  );
  const field = (own: fc.Arbitrary<unknown>) => fc.oneof(own, value);
  const body = fc.record(
    {
      template_name: field(fc.uuid()),
      dashboard_description: field(fc.string()),
      dashboard_filters: field(fc.object({ maxDepth: 2 })),
      tags: field(fc.array(fc.string({ unit: 'binary' }))),
      tiles: field(fc.array(tile)),
      variables: value,
      image_url: field(fc.webUrl()),
      scope: field(fc.constantFrom('team', 'feature_flag')),
    },
    { requiredKeys: [] },
  );
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(body, fc.boolean(), async (sent, creates) => {
      const answer = await (creates ? project.call('POST', PATH, sent) : project.call('PATCH', `${PATH}${id}/`, sent));
      statuses.add(answer.statusCode);
      expect([200, 201, 400]).toContain(answer.statusCode);
      if (answer.statusCode === 400) expect(Object.keys(answer.json())).toEqual(['type', 'code', 'detail', 'attr']);
      else expect(await get(`${PATH}${answer.json().id}/`)).toEqual(answer.json());
    }),
    { numRuns: 100 },
  );
  expect(statuses).toContain(400);
});
