import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';

let it: AccountsApp;
let ann: Caller & { uuid: string };
beforeAll(async () => {
  it = await startAccountsApp();
  ann = await it.invite('ann@example.com');
});
afterAll(() => it.close());
beforeEach(async () => {
  await it.deps.db.deleteFrom('roles').execute();
});

const ROLES = '/api/organizations/@current/roles/';
const create = (name: unknown, caller: Caller = it.owner) => it.call(caller, 'POST', ROLES, { name });
const give = (roleId: string, user_uuid: unknown, caller: Caller = it.owner) =>
  it.call(caller, 'POST', `${ROLES}${roleId}/role_memberships/`, { user_uuid });

test('a role is created, retrieved, renamed and deleted', async () => {
  const made = await create('  Support ');
  expect(made.statusCode).toBe(201);
  const role = made.json();
  expect(role).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Support',
    created_at: expect.any(String),
    created_by: expect.objectContaining({ email: 'owner@example.com' }),
    members: [],
  });
  expect((await it.call(ann, 'GET', `${ROLES}${role.id}`)).json()).toEqual(role);
  const renamed = await it.call(it.owner, 'PATCH', `${ROLES}${role.id}/`, { name: 'support' });
  expect(renamed.json()).toEqual({ ...role, name: 'support' });
  expect((await it.call(it.owner, 'PATCH', `${ROLES}${role.id}/`, {})).json()).toEqual(renamed.json());
  const deleted = await it.call(it.owner, 'DELETE', `${ROLES}${role.id}/`);
  expect([deleted.statusCode, deleted.body]).toEqual([204, '']);
  expect((await it.call(it.owner, 'GET', `${ROLES}${role.id}/`)).json().detail).toBe('Not found.');
});

test('the list is an envelope by name, with the members of each role', async () => {
  const b = (await create('b')).json();
  const a = (await create('a')).json();
  const given = (await give(b.id, ann.uuid)).json();
  const list = (await it.call(ann, 'GET', ROLES)).json();
  expect(list).toEqual({ count: 2, next: null, previous: null, results: [a, { ...b, members: [given] }] });
  const second = (await it.call(ann, 'GET', `${ROLES}?limit=1&offset=1`)).json();
  expect(second.results.map((role: { name: string }) => role.name)).toEqual(['b']);
  expect(second.previous).toContain('limit=1');
});

test('a member is added to a role once, and removed', async () => {
  const { id } = (await create('Support')).json();
  const given = await give(id, ann.uuid.replaceAll('-', ''));
  expect(given.statusCode).toBe(201);
  expect(given.json()).toEqual({
    id: expect.any(String),
    role_id: id,
    organization_member: expect.any(String),
    user: expect.objectContaining({ uuid: ann.uuid, email: 'ann@example.com' }),
    joined_at: expect.any(String),
  });
  expect((await it.call(ann, 'GET', `${ROLES}${id}/role_memberships/`)).json()).toEqual({
    count: 1,
    next: null,
    previous: null,
    results: [given.json()],
  });
  const again = await Promise.all([1, 2, 3].map(() => give(id, ann.uuid)));
  for (const answer of again) {
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_input', detail: 'User is already part of the role.', attr: null });
  }
  const url = `${ROLES}${id}/role_memberships/${given.json().id}/`;
  expect((await it.call(it.owner, 'DELETE', url)).statusCode).toBe(204);
  expect((await it.call(it.owner, 'DELETE', url)).statusCode).toBe(404);
});

test('deactivated members are missing, and cannot be added', async () => {
  const { id } = (await create('Support')).json();
  const bob = await it.invite('bob@example.com');
  await give(id, bob.uuid);
  await it.call(it.owner, 'PATCH', `/api/organizations/@current/members/${bob.uuid}/`, { is_active: false });
  expect((await it.call(it.owner, 'GET', `${ROLES}${id}/role_memberships/`)).json()).toMatchObject({ count: 0, results: [] });
  expect((await it.call(it.owner, 'GET', `${ROLES}${id}/`)).json().members).toEqual([]);
  expect((await give(id, bob.uuid)).json().detail).toBe('User does not exist.');
});

describe('refusals', () => {
  test('a taken name is refused in any case, also for concurrent requests', async () => {
    const answers = await Promise.all(['Support', 'support', 'SUPPORT'].map((name) => create(name)));
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([201, 400, 400]);
    expect((await create('supporT')).json()).toEqual({
      type: 'validation_error',
      code: 'unique',
      detail: 'There is already a role with this name.',
      attr: 'name',
    });
    const { id } = (await create('Sales')).json();
    expect((await it.call(it.owner, 'PATCH', `${ROLES}${id}/`, { name: 'support' })).json().code).toBe('unique');
  });

  test.each([
    [undefined, 'required'],
    [null, 'null'],
    ['', 'blank'],
    ['x'.repeat(201), 'max_length'],
  ])('name %j: %s', async (name, code) => {
    expect((await create(name)).json()).toMatchObject({ code, attr: 'name' });
  });

  test('members who are not administrators can neither read nor change roles', async () => {
    const { id } = (await create('Support')).json();
    const { id: membership } = (await give(id, ann.uuid)).json();
    const answers = [
      await create('Mine', ann),
      await it.call(ann, 'PATCH', `${ROLES}${id}/`, { name: 'Mine' }),
      await it.call(ann, 'DELETE', `${ROLES}${id}/`),
      await give(id, ann.uuid, ann),
      await it.call(ann, 'DELETE', `${ROLES}${id}/role_memberships/${membership}/`),
    ];
    for (const answer of answers) {
      expect(answer.statusCode).toBe(403);
      expect(answer.json().detail).toBe('Your organization access level is insufficient.');
    }
    expect((await it.call(ann, 'GET', ROLES)).json().results).toMatchObject([{ name: 'Support', members: [{ id: membership }] }]);
  });

  test('roles and users of another organization are unknown', async () => {
    const other = `/api/organizations/${(await it.call(it.owner, 'POST', '/api/organizations/', { name: 'Other' })).json().id}/roles/`;
    const theirs = (await it.call(it.owner, 'POST', other, { name: 'Theirs' })).json();
    await it.call(it.owner, 'PATCH', '/api/users/@me/', {
      set_current_organization: (await it.call(ann, 'GET', '/api/organizations/@current/')).json().id,
    });
    for (const [method, rest] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', 'role_memberships/'],
      ['POST', 'role_memberships/'],
      ['DELETE', `role_memberships/${theirs.id}/`],
    ] as const) {
      expect((await it.call(it.owner, method, `${ROLES}${theirs.id}/${rest}`)).statusCode).toBe(404);
    }
    const unknown = await it.call(it.owner, 'POST', `${other}${theirs.id}/role_memberships/`, { user_uuid: ann.uuid });
    expect(unknown.json()).toMatchObject({ code: 'invalid_input', detail: 'User does not exist.', attr: null });
    expect((await it.call(it.owner, 'GET', `${ROLES}not-a-uuid/`)).statusCode).toBe(404);
  });
});

test('the activity log has each creation, renaming and deletion of a role, and its members', async () => {
  const { id } = (await create('Support')).json();
  const { id: membership } = (await give(id, ann.uuid)).json();
  await it.call(it.owner, 'PATCH', `${ROLES}${id}/`, { name: 'Sales' });
  await it.call(it.owner, 'DELETE', `${ROLES}${id}/role_memberships/${membership}/`);
  await it.call(it.owner, 'DELETE', `${ROLES}${id}/`);
  const rows = await it.deps.db
    .selectFrom('activity_log')
    .select(['scope', 'activity'])
    .where('item_id', 'in', [id, membership])
    .orderBy('id')
    .execute();
  expect(rows.map((row) => `${row.scope} ${row.activity}`)).toEqual([
    'Role created',
    'RoleMember created',
    'Role updated',
    'RoleMember deleted',
    'Role deleted',
  ]);
});
