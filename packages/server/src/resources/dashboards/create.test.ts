import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let project: OwnProject;
beforeAll(async () => {
  app = await startAccountsApp();
});
beforeEach(async () => {
  project = await ownProject(app);
});
afterAll(() => app.close());

const create = (body: object) => project.call('POST', 'dashboards/', body);
const count = async () => (await project.call('GET', 'dashboards/')).json().count;
const insight = async (fields: object) => (await project.call('POST', 'insights/', fields)).json();

async function refused(body: object): Promise<[status: number, code: string, detail: string, attr: string | null]> {
  const answer = await create(body);
  const { code, detail, attr } = answer.json();
  return [answer.statusCode, code, detail, attr];
}

describe('spec 2.2 Dashboard', () => {
  test('a created dashboard has every field of the table with its type and the value sent', async () => {
    const source = (await create({ name: 'source' })).json().id;
    const answer = await create({
      name: 'Numbers',
      description: 'Ours',
      pinned: true,
      deleted: false,
      use_dashboard: source,
      delete_insights: true,
      tags: ['b', ' A ', 'B'],
      restriction_level: 37,
      filters: { date_from: '-14d' },
      variables: { x: { code_name: 'x', value: 1 } },
    });
    expect(answer.statusCode).toBe(201);
    const body = answer.json();
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'Numbers',
      description: 'Ours',
      pinned: true,
      created_at: expect.any(String),
      created_by: expect.objectContaining({ email: 'owner@example.com' }),
      is_shared: false,
      deleted: false,
      creation_mode: 'duplicate',
      use_template: null,
      use_dashboard: source,
      delete_insights: true,
      filters: { date_from: '-14d' },
      variables: { x: { code_name: 'x', value: 1 } },
      tags: ['b', 'a'],
      version: 1,
      tiles: [],
      restriction_level: 37,
      effective_restriction_level: 37,
      effective_privilege_level: 37,
      user_access_level: 'manager',
    });
    expect(Object.keys(body.created_by)).toEqual([
      'id',
      'uuid',
      'distinct_id',
      'first_name',
      'last_name',
      'email',
      'is_email_verified',
      'hedgehog_config',
    ]);
    expect((await project.call('GET', `dashboards/${body.id}/`)).json()).toEqual(body);
  });

  test('read-only fields in a body are ignored', async () => {
    const body = (
      await create({ id: 7, creation_mode: 'template', is_shared: true, created_at: 'x', user_access_level: 'none' })
    ).json();
    expect(body).toMatchObject({ creation_mode: 'default', is_shared: false, user_access_level: 'manager' });
    expect(body.id).not.toBe(7);
  });
});

describe('spec 4.1 Create', () => {
  test('201 for an empty body: a dashboard without a name', async () => {
    const answer = await create({});
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({
      name: null,
      description: '',
      pinned: false,
      deleted: false,
      creation_mode: 'default',
      use_template: null,
      use_dashboard: null,
      delete_insights: false,
      filters: {},
      variables: {},
      tags: [],
      tiles: [],
      restriction_level: 21,
    });
  });

  test('booleans and numbers are accepted as text, and bodies as forms', async () => {
    expect((await create({ pinned: 'true', restriction_level: '37', name: 5 })).json()).toMatchObject({
      pinned: true,
      restriction_level: 37,
      name: '5',
    });
    const form = await app.call(app.owner, 'POST', `/api/projects/${project.id}/dashboards/`, 'name=formed&pinned=on&tags[]=x', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.json()).toMatchObject({ name: 'formed', pinned: true });
  });

  test('deleted: true creates a deleted dashboard', async () => {
    const made = (await create({ name: 'gone', deleted: true })).json();
    expect(made.deleted).toBe(true);
    expect((await project.call('GET', `dashboards/${made.id}/`)).statusCode).toBe(404);
  });

  test('a name has at most 400 characters, counted as code points', async () => {
    const name = '😀'.repeat(400);
    const made = await create({ name });
    expect([made.statusCode, made.json().name]).toEqual([201, name]);
    expect((await refused({ name: `${name}x` })).slice(0, 2)).toEqual([400, 'max_length']);
  });

  test('only the first error is in the response, in the order of the fields', async () => {
    expect(await refused({ name: 'x'.repeat(401), pinned: 'maybe' })).toEqual([
      400,
      'max_length',
      'Ensure this field has no more than 400 characters.',
      'name',
    ]);
    expect(await refused({ description: null })).toEqual([400, 'null', 'This field may not be null.', 'description']);
    expect(await refused({ pinned: null })).toEqual([400, 'null', 'This field may not be null.', 'pinned']);
    expect(await refused({ deleted: 'x' })).toEqual([400, 'invalid_input', 'Must be a valid boolean.', 'deleted']);
    expect(await refused({ use_dashboard: '' })).toEqual([400, 'invalid_input', 'A valid integer is required.', 'use_dashboard']);
    expect(await refused({ restriction_level: 5, tags: 'a' })).toEqual([
      400,
      'not_a_list',
      'Expected a list of items but got type "str".',
      'tags',
    ]);
    expect(await refused({ restriction_level: 5, filters: [] })).toEqual([
      400,
      'invalid_choice',
      '"5" is not a valid choice.',
      'restriction_level',
    ]);
    expect((await refused({ tags: ['x'.repeat(256)] })).slice(0, 2)).toEqual([400, 'max_length']);
    expect(await refused({ filters: ['x'] })).toEqual([400, 'invalid_input', 'Filters must be a dictionary', null]);
    expect(await refused({ variables: 'x' })).toEqual([400, 'invalid_input', 'Filters must be a dictionary', null]);
    expect(await refused([])).toEqual([400, 'invalid_input', 'Invalid data. Expected a dictionary.', null]);
    expect((await create({ filters: null, variables: null, tags: null, use_template: '' })).statusCode).toBe(201);
  });

  test('the creation is in the activity log', async () => {
    const { id } = (await create({ name: 'logged' })).json();
    const log = (await project.call('GET', 'activity_log/?scope=Dashboard')).json().results;
    expect(log).toMatchObject([{ activity: 'created', scope: 'Dashboard', item_id: String(id), detail: { name: 'logged' } }]);
  });
});

describe('use_template', () => {
  test('DEFAULT_APP: six sample insights without a creator, with the name of the template unless the body has one', async () => {
    const answer = await create({ use_template: 'DEFAULT_APP' });
    expect(answer.statusCode).toBe(201);
    const body = answer.json();
    expect(body).toMatchObject({ creation_mode: 'template', use_template: 'DEFAULT_APP', name: 'Product analytics' });
    expect(body.tiles).toHaveLength(6);
    expect(body.tiles.map(({ order }: { order: number }) => order)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const { insight } of body.tiles) {
      expect(insight).toMatchObject({ created_by: null, is_sample: true, dashboards: [body.id], result: null });
      expect(insight.query.kind).toBe('InsightVizNode');
    }
    expect((await create({ use_template: 'WEBSITE_TRAFFIC', name: 'Mine' })).json()).toMatchObject({ name: 'Mine' });
  });

  test('a template of the project is found by its name, and one of another project is not', async () => {
    const template = {
      template_name: 'House style',
      dashboard_description: 'As we like it.',
      dashboard_filters: { date_from: '-7d' },
      tags: ['house'],
      tiles: [
        { type: 'TEXT', body: 'Hello', layouts: { sm: { x: 0, y: 0 } } },
        { type: 'INSIGHT', name: 'Visits', query: { kind: 'DataTableNode' }, layouts: { sm: { x: 0, y: 1 } }, color: 'blue' },
      ],
    };
    const made = await project.call('POST', 'dashboard_templates/', template, { cookie: app.owner.cookie });
    expect(made.statusCode).toBe(201);
    const body = (await create({ use_template: 'House style', name: '' })).json();
    expect(body).toMatchObject({
      name: 'House style',
      description: 'As we like it.',
      filters: { date_from: '-7d' },
      tags: ['house'],
      tiles: [
        { text: { body: 'Hello', created_by: null }, insight: null },
        { text: null, color: 'blue', insight: { name: 'Visits', query: { kind: 'DataTableNode' } } },
      ],
    });
    project = await ownProject(app);
    expect(await refused({ use_template: 'House style' })).toEqual([
      400,
      'invalid_input',
      'Invalid template provided: House style',
      'use_template',
    ]);
    expect(await count()).toBe(0);
  });

  test('it cannot be combined with use_dashboard', async () => {
    const text = '`use_dashboard` and `use_template` cannot be used together';
    expect(await refused({ use_template: 'DEFAULT_APP', use_dashboard: 1 })).toEqual([400, 'invalid_input', text, null]);
  });
});

describe('use_dashboard', () => {
  async function source() {
    const made = (await create({ name: 'source', filters: { date_from: '-3d' }, variables: { v: { value: 1 } } })).json();
    const tiles = [
      { text: { body: 'Words' }, color: 'red', layouts: { sm: { x: 0, y: 0 } } },
      { text: { body: 'gone' }, layouts: { sm: { x: 0, y: 9 } } },
    ];
    const { tiles: texts } = (await project.call('PATCH', `dashboards/${made.id}/`, { tiles })).json();
    await project.call('PATCH', `dashboards/${made.id}/`, { tiles: [{ id: texts[1].id, deleted: true }] });
    await insight({ name: 'Visits', query: { kind: 'TrendsQuery', series: [] }, dashboards: [made.id] });
    await insight({ query: { kind: 'TrendsQuery', series: [] }, dashboards: [made.id] });
    return (await project.call('GET', `dashboards/${made.id}/`)).json();
  }
  const contents = (body: { tiles: { insight: { id: number } | null; text: { id: number } | null }[] }) =>
    body.tiles.map((tile) => [tile.insight?.id, tile.text?.id]);

  test('the copy has its own tiles, which show the same insights and texts', async () => {
    const from = await source();
    expect(from.tiles).toHaveLength(3);
    const copy = (await create({ use_dashboard: from.id, name: 'copy' })).json();
    expect(copy).toMatchObject({ name: 'copy', creation_mode: 'duplicate', filters: from.filters, variables: from.variables });
    expect(contents(copy)).toEqual(contents(from));
    const ids = new Set([...from.tiles, ...copy.tiles].map(({ id }: { id: number }) => id));
    expect(ids.size).toBe(6);
    expect(copy.tiles[0]).toMatchObject({ color: 'red', layouts: { sm: { x: 0, y: 0 } } });
    expect((await create({ use_dashboard: from.id, filters: {}, variables: {} })).json()).toMatchObject({
      filters: {},
      variables: {},
    });
  });

  test('duplicate_tiles copies insights and texts too', async () => {
    const from = await source();
    const copy = (await create({ use_dashboard: String(from.id), duplicate_tiles: true })).json();
    expect(copy.name).toBeNull();
    const names = copy.tiles.map((tile: { insight?: { name: string | null } }) => tile.insight?.name);
    expect(names).toEqual([undefined, 'Visits (Copy)', null]);
    const before = new Set(contents(from).flat().filter(Boolean));
    expect(
      contents(copy)
        .flat()
        .some((id) => id !== undefined && before.has(id)),
    ).toBe(false);
    expect(copy.tiles[0].text.body).toBe('Words');
  });

  test('unknown, deleted and other projects’ dashboards are refused, and nothing is created', async () => {
    const gone = (await create({ deleted: true })).json().id;
    const other = await ownProject(app);
    const theirs = (await other.call('POST', 'dashboards/', {})).json().id;
    for (const id of [gone, theirs, 2_000_000_000, -1, 99_999_999_999]) {
      expect(await refused({ use_dashboard: id })).toEqual([400, 'invalid_input', 'Invalid value provided', 'use_dashboard']);
    }
    expect(await count()).toBe(0);
  });

  test('insights that the caller may not see are not copied', async () => {
    const member = await app.invite(`m${project.id}@example.com`);
    const hidden = (await create({ name: 'hidden' })).json().id;
    await project.call('PUT', `dashboards/${hidden}/access_controls/`, { access_level: 'none' });
    const answer = await project.call('POST', 'dashboards/', { use_dashboard: hidden }, member);
    expect([answer.statusCode, answer.json().detail]).toEqual([403, 'You do not have viewer access to this resource.']);

    const from = await source();
    const secret = from.tiles.find((tile: { insight: { name: string } | null }) => tile.insight?.name === 'Visits').insight;
    await project.call('PUT', `insights/${secret.id}/access_controls/`, { access_level: 'none' });
    const copy = await project.call('POST', 'dashboards/', { use_dashboard: from.id, duplicate_tiles: true }, member);
    expect(copy.statusCode).toBe(201);
    expect(copy.body).not.toContain('Visits');
    expect(copy.json().tiles).toHaveLength(2);
  });

  test.each<[what: string, close: (id: number) => Promise<unknown>]>([
    ['a restricted dashboard', (id) => project.call('PATCH', `dashboards/${id}/`, { restriction_level: 37 })],
    ['a dashboard with a rule', (id) => project.call('PUT', `dashboards/${id}/access_controls/`, { access_level: 'viewer' })],
  ])('a caller who may only view %s changes nothing of it through a copy', async (what, close) => {
    const member = await app.invite(`${what.length}looks${project.id}@example.com`);
    const from = await source();
    await close(from.id);
    const { tiles } = (await project.call('GET', `dashboards/${from.id}/`)).json();
    const copy = (await project.call('POST', 'dashboards/', { use_dashboard: from.id }, member)).json();
    const [{ id, text }, { insight: visits }] = copy.tiles;
    expect([text.body, visits.name]).toEqual(['Words', 'Visits (Copy)']);
    const changed = { tiles: [{ id, text: { body: 'Theirs' } }] };
    expect((await project.call('PATCH', `dashboards/${copy.id}/`, changed, member)).statusCode).toBe(200);
    expect((await project.call('PATCH', `insights/${visits.id}/`, { name: 'Theirs' }, member)).statusCode).toBe(200);
    expect((await project.call('GET', `dashboards/${from.id}/`)).json().tiles).toEqual(tiles);
  });
});

describe('create_from_template_json', () => {
  const url = 'dashboards/create_from_template_json/';
  const template = { template_name: 'Sent', tiles: [{ type: 'TEXT', body: 'Hello' }] };

  test('200 with the dashboard, for sessions only', async () => {
    const answer = await project.call('POST', url, { template }, { cookie: app.owner.cookie });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ name: 'Sent', creation_mode: 'template', tiles: [{ text: { body: 'Hello' } }] });
    const byKey = await project.call('POST', url, { template });
    expect(byKey.json()).toMatchObject({
      code: 'permission_denied',
      detail: 'This action does not support personal API key access',
    });
  });

  test('an invalid template is an error of the whole body', async () => {
    for (const bad of [undefined, null, 'x', {}, { ...template, tiles: [] }, { ...template, tiles: [{ type: 'OTHER' }] }]) {
      const answer = await project.call('POST', url, { template: bad }, { cookie: app.owner.cookie });
      expect([answer.statusCode, answer.json().attr, answer.json().code]).toEqual([400, null, 'invalid_input']);
    }
    expect(await count()).toBe(0);
  });
});
