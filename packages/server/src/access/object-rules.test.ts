import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../testing/accounts-app.js';

type Member = Caller & { uuid: string };

let it: AccountsApp;
let ann: Member;
let bob: Member;
let admin: Member;
let annsMembership: string;
let role: string;
let project: number;
/** Made by the owner. */
let dashboard: number;

beforeAll(async () => {
  it = await startAccountsApp();
  ann = await it.invite('ann@example.com');
  bob = await it.invite('bob@example.com');
  admin = await it.invite('admin@example.com', 8);
  const roles = '/api/organizations/@current/roles/';
  role = (await it.call(it.owner, 'POST', roles, { name: 'Support' })).json().id;
  annsMembership = (await it.call(it.owner, 'POST', `${roles}${role}/role_memberships/`, { user_uuid: ann.uuid })).json()
    .organization_member;
});
afterAll(() => it.close());
beforeEach(async () => {
  project = (await it.call(it.owner, 'POST', '/api/projects/', { name: 'Rules' })).json().id;
  dashboard = await make(it.owner, { name: 'Ours' });
});

const call = (caller: Caller, method: 'GET' | 'POST' | 'PATCH' | 'PUT', rest: string, body?: object) =>
  it.call(caller, method, `/api/projects/${project}/${rest}`, body);
const make = async (caller: Caller, fields: object = {}): Promise<number> =>
  (await call(caller, 'POST', 'dashboards/', fields)).json().id;
const put = (caller: Caller, body: object, id = dashboard) => call(caller, 'PUT', `dashboards/${id}/access_controls/`, body);
const putWide = (body: object) => call(it.owner, 'PUT', 'resource_access_controls/', { resource: 'dashboard', ...body });
const rules = async (caller: Caller, id = dashboard) => (await call(caller, 'GET', `dashboards/${id}/access_controls/`)).json();
const listed = async (caller: Caller): Promise<number[]> =>
  (await call(caller, 'GET', 'dashboards/')).json().results.map(({ id }: { id: number }) => id);

test('without rules, members are editors and cannot create rules; the creator and administrators can', async () => {
  const seen = {
    access_controls: [],
    available_access_levels: ['none', 'viewer', 'editor', 'manager'],
    default_access_level: 'editor',
    minimum_access_level: 'none',
    maximum_access_level: 'manager',
    user_access_level: 'editor',
    user_can_edit_access_levels: false,
  };
  expect(await rules(ann)).toEqual(seen);
  const highest = { ...seen, user_access_level: 'manager', user_can_edit_access_levels: true };
  expect(await rules(admin)).toEqual(highest);
  expect(await rules(ann, await make(ann))).toEqual(highest);
});

test('PUT creates the rule, then changes it, and null removes it; the activity log has each change', async () => {
  const made = await put(it.owner, { access_level: 'viewer', organization_member: annsMembership });
  expect(made.statusCode).toBe(200);
  expect(made.json()).toEqual({
    access_level: 'viewer',
    resource: 'dashboard',
    resource_id: String(dashboard),
    organization_member: annsMembership,
    role: null,
    created_by: expect.any(Number),
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const changed = (await put(it.owner, { access_level: 'none', organization_member: annsMembership })).json();
  const forAll = (await put(it.owner, { access_level: 'viewer' })).json();
  const forRole = (await put(it.owner, { access_level: 'editor', role })).json();
  expect(changed.created_at).toBe(made.json().created_at);
  const { access_controls: stored } = await rules(it.owner);
  expect(stored).toHaveLength(3);
  expect(stored).toEqual(expect.arrayContaining([changed, forAll, forRole]));
  for (const _ of [1, 2]) {
    const removed = await put(it.owner, { access_level: null, organization_member: annsMembership });
    expect([removed.statusCode, removed.body]).toEqual([204, '']);
  }
  expect((await rules(it.owner)).access_controls).toHaveLength(2);
  const log = (await call(it.owner, 'GET', 'activity_log/?scope=AccessControl')).json().results;
  expect(log.map((entry: { activity: string }) => entry.activity)).toEqual([
    'deleted',
    'created',
    'created',
    'updated',
    'created',
  ]);
});

describe('the level of a plain member', () => {
  const all = (access_level: string) => ({ access_level });
  const member = (access_level: string) => ({ access_level, organization_member: annsMembership });
  const ofRole = (access_level: string) => ({ access_level, role });
  test.each([
    // rules on the dashboard, rules on dashboards, the level
    ['none for everybody', () => [all('none')], () => [], 'none'],
    ['viewer for everybody', () => [all('viewer')], () => [], 'viewer'],
    ['none for everybody, viewer for the member', () => [all('none'), member('viewer')], () => [], 'viewer'],
    ['manager for everybody, none for the member', () => [all('manager'), member('none')], () => [], 'none'],
    ['viewer for the member, manager for a role', () => [member('viewer'), ofRole('manager')], () => [], 'manager'],
    ['viewer on all', () => [], () => [all('viewer')], 'viewer'],
    ['none on all, editor on this one', () => [all('editor')], () => [all('none')], 'editor'],
    ['none for everybody on this one, manager on all', () => [all('none')], () => [member('manager')], 'none'],
    ['none for everybody on all, viewer for a role', () => [], () => [all('none'), ofRole('viewer')], 'viewer'],
  ])('%s', async (_name, own, wide, level) => {
    for (const rule of wide()) expect((await putWide(rule)).statusCode).toBe(200);
    for (const rule of own()) expect((await put(it.owner, rule)).statusCode).toBe(200);
    const seen = await call(ann, 'GET', `dashboards/${dashboard}/`);
    const changed = await call(ann, 'PATCH', `dashboards/${dashboard}/`, { description: 'hers' });
    if (level === 'none') {
      for (const answer of [seen, await call(ann, 'GET', `dashboards/${dashboard}/access_controls/`)]) {
        expect(answer.statusCode).toBe(403);
        expect(answer.json().detail).toBe('You do not have viewer access to this resource.');
      }
      expect(changed.statusCode).toBe(403);
    } else {
      expect(seen.json().user_access_level).toBe(level);
      expect(await rules(ann)).toMatchObject({ user_access_level: level, user_can_edit_access_levels: level === 'manager' });
      expect(changed.statusCode).toBe(level === 'viewer' ? 403 : 200);
      if (level === 'viewer') expect(changed.json().detail).toBe('You do not have editor access to this resource.');
      const rule = await put(ann, { access_level: 'viewer' });
      expect(rule.statusCode).toBe(level === 'manager' ? 200 : 403);
    }
    if (wide().length === 0) expect((await listed(ann)).includes(dashboard)).toBe(level !== 'none');
    for (const boss of [it.owner, admin]) {
      expect(await listed(boss)).toEqual([dashboard]);
      expect((await call(boss, 'GET', `dashboards/${dashboard}/`)).json().user_access_level).toBe('manager');
    }
  });
});

test('a rule about all dashboards: with none a member can neither list nor create, and a viewer cannot create', async () => {
  await putWide({ access_level: 'none' });
  for (const answer of [await call(ann, 'GET', 'dashboards/'), await call(ann, 'GET', `dashboards/${dashboard}/`)]) {
    expect(answer.statusCode).toBe(403);
    expect(answer.json().detail).toBe('You do not have viewer access to this resource.');
  }
  expect((await call(ann, 'POST', 'dashboards/', {})).statusCode).toBe(403);
  await putWide({ access_level: 'viewer' });
  expect(await listed(ann)).toEqual([dashboard]);
  const refused = await call(ann, 'POST', 'dashboards/', {});
  expect([refused.statusCode, refused.json().detail]).toEqual([403, 'You do not have editor access to this resource.']);
  expect((await call(admin, 'POST', 'dashboards/', {})).statusCode).toBe(201);
});

test('creators keep access to what they created', async () => {
  const hers = await make(ann, { name: 'Hers' });
  await put(ann, { access_level: 'none' }, hers);
  await put(it.owner, { access_level: 'none', organization_member: annsMembership }, hers);
  expect(await listed(ann)).toContain(hers);
  expect(await listed(bob)).not.toContain(hers);
  expect((await call(ann, 'GET', `dashboards/${hers}/`)).json().user_access_level).toBe('manager');
  expect((await call(bob, 'GET', `dashboards/${hers}/`)).statusCode).toBe(403);
});

test('a member whom a rule makes administrator of the project creates rules, also about hidden objects', async () => {
  await call(it.owner, 'PUT', 'access_controls/', { access_level: 'admin', organization_member: annsMembership });
  await put(it.owner, { access_level: 'none' });
  expect((await call(ann, 'GET', `dashboards/${dashboard}/`)).statusCode).toBe(403);
  expect(await rules(ann)).toMatchObject({ user_access_level: 'none', user_can_edit_access_levels: true });
  expect((await put(ann, { access_level: null })).statusCode).toBe(204);
  expect((await call(ann, 'GET', `dashboards/${dashboard}/`)).statusCode).toBe(200);
});

describe('refusals, in order', () => {
  const someone = '0192f3a1-7c1e-7b5a-9f58-3f1d2c4b5a69';
  const both = { organization_member: someone, role: someone };
  test.each([
    [{}, 400, 'required', 'This field is required.', 'access_level'],
    [
      { access_level: 'member', ...both },
      400,
      'invalid_input',
      'Invalid access level. Must be one of: none, viewer, editor, manager',
      'access_level',
    ],
    [{ access_level: 'none', organization_member: 7 }, 400, 'invalid_input', 'Must be a valid UUID.', 'organization_member'],
    [
      { access_level: 'none', ...both },
      400,
      'invalid_input',
      'You can not scope an access control to both a member and a role.',
      null,
    ],
    [{ access_level: 'none' }, 403, 'permission_denied', 'Must be manager to modify dashboard permissions.', null],
  ])('%j: %s %s %s', async (body, status, code, detail, attr) => {
    const refused = await put(ann, body);
    expect(refused.statusCode).toBe(status);
    expect(refused.json()).toMatchObject({ code, detail, attr });
  });

  test('unknown members and roles are refused and not stored', async () => {
    for (const attr of ['organization_member', 'role']) {
      const refused = await put(it.owner, { access_level: 'none', [attr]: someone });
      expect(refused.json()).toMatchObject({
        code: 'does_not_exist',
        detail: `Invalid pk "${someone}" - object does not exist.`,
        attr,
      });
    }
    expect((await rules(it.owner)).access_controls).toEqual([]);
  });

  test('unknown and deleted dashboards, and those of another project, are not found', async () => {
    const here = project;
    project = (await it.call(it.owner, 'POST', '/api/projects/', { name: 'Other' })).json().id;
    const theirs = await make(it.owner);
    project = here;
    const deleted = await make(it.owner);
    await call(it.owner, 'PATCH', `dashboards/${deleted}/`, { deleted: true });
    for (const id of [theirs, deleted, 2_147_483_647, 99_999_999_999]) {
      for (const answer of [await put(it.owner, {}, id), await call(it.owner, 'GET', `dashboards/${id}/access_controls/`)]) {
        expect([answer.statusCode, answer.json().detail]).toEqual([404, 'Not found.']);
      }
    }
  });

  test('other methods get 405', async () => {
    const refused = await call(it.owner, 'PATCH', `dashboards/${dashboard}/access_controls/`, { access_level: 'none' });
    expect([refused.statusCode, refused.json().detail]).toEqual([405, 'Method "PATCH" not allowed.']);
  });
});

test('concurrent PUTs of a rule leave one row', async () => {
  const levels = ['none', 'viewer', 'editor', 'manager', null];
  const bodies = Array.from({ length: 30 }, (_, n) => ({
    access_level: levels[n % 5],
    ...(n % 3 === 0 ? {} : n % 3 === 1 ? { role } : { organization_member: annsMembership }),
  }));
  const answers = await Promise.all(bodies.map((body) => put(it.owner, body)));
  for (const answer of answers) expect([200, 204]).toContain(answer.statusCode);
  await Promise.all(['viewer', 'none', 'editor'].map((access_level) => put(it.owner, { access_level })));
  const { access_controls: stored } = await rules(it.owner);
  const subjects = stored.map((rule: { role: string; organization_member: string }) =>
    [rule.role, rule.organization_member].join(),
  );
  expect(new Set(subjects).size).toBe(subjects.length);
});
