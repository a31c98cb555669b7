import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../testing/accounts-app.js';

let it: AccountsApp;
let ann: Caller & { uuid: string };
let bob: Caller & { uuid: string };
let admin: Caller & { uuid: string };
let annsMembership: string;
let role: string;
/** A project beside the first one. */
let project: number;

beforeAll(async () => {
  it = await startAccountsApp();
  ann = await it.invite('ann@example.com');
  bob = await it.invite('bob@example.com');
  admin = await it.invite('admin@example.com', 8);
  annsMembership = await membershipOf('ann@example.com');
  role = (await it.call(it.owner, 'POST', '/api/organizations/@current/roles/', { name: 'Support' })).json().id;
  await it.call(it.owner, 'POST', `/api/organizations/@current/roles/${role}/role_memberships/`, { user_uuid: ann.uuid });
});
afterAll(() => it.close());
beforeEach(async () => {
  await it.deps.db.deleteFrom('access_controls').execute();
  project = (await it.call(it.owner, 'POST', '/api/projects/', { name: 'Rules' })).json().id;
});

const path = (rest = '') => `/api/projects/${project}/${rest}`;
const put = (caller: Caller, body: object, url = path('access_controls/')) => it.call(caller, 'PUT', url, body);
const listed = async (caller: Caller): Promise<number[]> =>
  (await it.call(caller, 'GET', '/api/projects/')).json().results.map((one: { id: number }) => one.id);
async function membershipOf(email: string): Promise<string> {
  const members = (await it.call(it.owner, 'GET', '/api/organizations/@current/members/')).json().results;
  return members.find((member: { user: { email: string } }) => member.user.email === email).id;
}

test('without rules, members see their own access and administrators that they may change it', async () => {
  const rules = {
    access_controls: [],
    available_access_levels: ['none', 'member', 'admin'],
    default_access_level: 'member',
    minimum_access_level: 'none',
    maximum_access_level: 'admin',
    user_access_level: 'member',
    user_can_edit_access_levels: false,
  };
  const seen = await it.call(ann, 'GET', path('access_controls'));
  expect(seen.statusCode).toBe(200);
  expect(seen.json()).toEqual(rules);
  expect((await it.call(admin, 'GET', `/api/environments/${project}/access_controls/`)).json()).toEqual({
    ...rules,
    user_access_level: 'admin',
    user_can_edit_access_levels: true,
  });
});

test('PUT creates the rule, then changes it, and null removes it', async () => {
  const made = await put(it.owner, { access_level: 'none' });
  expect(made.statusCode).toBe(200);
  expect(made.json()).toEqual({
    access_level: 'none',
    resource: 'project',
    resource_id: String(project),
    organization_member: null,
    role: null,
    created_by: expect.any(Number),
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  it.advance(1000);
  const changed = (await put(admin, { access_level: 'member', organization_member: null, role: null })).json();
  expect(changed).toMatchObject({
    access_level: 'member',
    created_by: made.json().created_by,
    created_at: made.json().created_at,
  });
  expect(changed.updated_at).not.toBe(made.json().updated_at);
  expect((await it.call(it.owner, 'GET', path('access_controls/'))).json().access_controls).toEqual([changed]);
  for (const _ of [1, 2]) {
    const removed = await put(it.owner, { access_level: null });
    expect([removed.statusCode, removed.body]).toEqual([204, '']);
  }
  expect((await it.call(it.owner, 'GET', path('access_controls/'))).json().access_controls).toEqual([]);
});

describe('the access of a plain member by rules of a project', () => {
  const forAll = (access_level: string) => ({ access_level });
  const forAnn = (access_level: string) => ({ access_level, organization_member: annsMembership });
  const forRole = (access_level: string) => ({ access_level, role });
  test.each([
    ['none for everybody', () => [forAll('none')], null],
    ['none for the member', () => [forAnn('none')], null],
    ['none for a role', () => [forRole('none')], null],
    ['member for the member, none for everybody', () => [forAll('none'), forAnn('member')], 1],
    ['none for the member, admin for everybody', () => [forAll('admin'), forAnn('none')], null],
    ['none for the member, admin for a role', () => [forAnn('none'), forRole('admin')], 8],
    ['admin for everybody', () => [forAll('admin')], 8],
    ['member for everybody', () => [forAll('member')], 1],
  ])('%s', async (_name, rules, level) => {
    for (const rule of rules()) expect((await put(it.owner, rule)).statusCode).toBe(200);
    const seen = await it.call(ann, 'GET', path());
    expect(await listed(ann)).toEqual(level === null ? expect.not.arrayContaining([project]) : expect.arrayContaining([project]));
    if (level === null) {
      expect(seen.statusCode).toBe(403);
      expect(seen.json()).toMatchObject({
        code: 'permission_denied',
        detail: "You don't have access to the project.",
        attr: null,
      });
    } else {
      expect(seen.json().effective_membership_level).toBe(level);
      expect((await put(ann, { access_level: 'member' })).statusCode).toBe(level === 8 ? 200 : 403);
    }
    for (const boss of [it.owner, admin]) {
      expect(await listed(boss)).toContain(project);
      expect((await it.call(boss, 'GET', path())).json().effective_membership_level).toBe(boss === admin ? 8 : 15);
    }
  });
});

test('a hidden project is not the current project of a user, and not in an organization', async () => {
  await it.call(bob, 'PATCH', '/api/users/@me/', { set_current_team: project });
  expect((await it.call(bob, 'GET', '/api/projects/@current/')).json().id).toBe(project);
  await put(it.owner, { access_level: 'none' });
  expect((await it.call(bob, 'GET', '/api/projects/@current/')).json().id).not.toBe(project);
  const me = (await it.call(bob, 'GET', '/api/users/@me/')).json();
  expect(me.organization.projects.map((one: { id: number }) => one.id)).not.toContain(project);
  expect((await it.call(bob, 'PATCH', '/api/users/@me/', { set_current_team: project })).json().code).toBe('does_not_exist');
});

test('rules restrict a private project further and never open it', async () => {
  await it.call(it.owner, 'PATCH', path(), { access_control: true });
  await put(it.owner, { access_level: 'admin', organization_member: annsMembership });
  expect((await it.call(ann, 'GET', path())).statusCode).toBe(403);
  expect(await listed(ann)).not.toContain(project);
});

test('a rule for a role ends with the membership of the role, and with the role', async () => {
  const mine = (await it.call(it.owner, 'POST', '/api/organizations/@current/roles/', { name: 'Brief' })).json().id;
  const roleUrl = `/api/organizations/@current/roles/${mine}/`;
  const join = () => it.call(it.owner, 'POST', `${roleUrl}role_memberships/`, { user_uuid: bob.uuid });
  await put(it.owner, { access_level: 'none', role: mine });
  expect((await it.call(bob, 'GET', path())).statusCode).toBe(200);
  const joined = (await join()).json();
  expect((await it.call(bob, 'GET', path())).statusCode).toBe(403);
  await it.call(it.owner, 'DELETE', `${roleUrl}role_memberships/${joined.id}/`);
  expect((await it.call(bob, 'GET', path())).statusCode).toBe(200);
  await join();
  await it.call(it.owner, 'DELETE', roleUrl);
  expect((await it.call(bob, 'GET', path())).statusCode).toBe(200);
  expect((await it.call(it.owner, 'GET', path('access_controls/'))).json().access_controls).toEqual([]);
});

test('rules for deactivated members have no effect', async () => {
  const cid = await it.invite('cid@example.com');
  const membership = await membershipOf('cid@example.com');
  await put(it.owner, { access_level: 'none', organization_member: membership });
  const rules = async () => (await it.call(it.owner, 'GET', path('access_controls/'))).json().access_controls.length;
  expect(await rules()).toBe(1);
  const memberUrl = `/api/organizations/@current/members/${cid.uuid}/`;
  await it.call(it.owner, 'PATCH', memberUrl, { is_active: false });
  expect(await rules()).toBe(0);
  expect((await put(it.owner, { access_level: 'member', organization_member: membership })).json()).toMatchObject({
    code: 'does_not_exist',
    attr: 'organization_member',
  });
  await it.call(it.owner, 'DELETE', memberUrl);
  expect(await it.deps.db.selectFrom('access_controls').select('id').execute()).toEqual([]);
});

describe('refusals, in order', () => {
  const both = { organization_member: '0192f3a1-7c1e-7b5a-9f58-3f1d2c4b5a69', role: '0192f3a1-7c1e-7b5a-9f58-3f1d2c4b5a69' };
  test.each([
    [{}, 400, 'required', 'This field is required.', 'access_level'],
    [
      { access_level: 'editor', ...both },
      400,
      'invalid_input',
      'Invalid access level. Must be one of: none, member, admin',
      'access_level',
    ],
    [{ access_level: '' }, 400, 'invalid_input', 'Invalid access level. Must be one of: none, member, admin', 'access_level'],
    [{ access_level: ['none'] }, 400, 'invalid_input', 'Not a valid string.', 'access_level'],
    [{ access_level: 'none', role: 'boss' }, 400, 'invalid_input', 'Must be a valid UUID.', 'role'],
    [
      { access_level: 'none', ...both },
      400,
      'invalid_input',
      'You can not scope an access control to both a member and a role.',
      null,
    ],
    [{ access_level: 'none' }, 403, 'permission_denied', 'Must be admin to modify project permissions.', null],
    [{ access_level: 'none', role: both.role }, 403, 'permission_denied', 'Must be admin to modify project permissions.', null],
  ])('%j: %s %s %s', async (body, status, code, detail, attr) => {
    const refused = await put(ann, body);
    expect(refused.statusCode).toBe(status);
    expect(refused.json()).toMatchObject({ code, detail, attr });
  });

  test('members and roles of another organization are unknown, and no rule is stored', async () => {
    const own = (await it.call(it.owner, 'GET', '/api/organizations/@current/')).json().id;
    const other = await it.call(it.owner, 'POST', '/api/organizations/', { name: 'Other' });
    await it.call(it.owner, 'PATCH', '/api/users/@me/', { set_current_organization: own });
    const url = `/api/organizations/${other.json().id}/`;
    const theirs = (await it.call(it.owner, 'POST', `${url}roles/`, { name: 'Support' })).json().id;
    const member = (await it.call(it.owner, 'GET', `${url}members/`)).json().results[0].id;
    for (const [attr, id] of [
      ['organization_member', member],
      ['role', theirs],
    ]) {
      const refused = await put(it.owner, { access_level: 'none', [attr]: id });
      expect(refused.statusCode).toBe(400);
      expect(refused.json()).toEqual({
        type: 'validation_error',
        code: 'does_not_exist',
        detail: `Invalid pk "${id}" - object does not exist.`,
        attr,
      });
    }
    expect(await it.deps.db.selectFrom('access_controls').select('id').execute()).toEqual([]);
  });

  test('a key needs access_control:read and access_control:write', async () => {
    const reader = await it.makeKey(it.owner.cookie, { scopes: ['access_control:read'] });
    expect((await it.call(reader, 'GET', path('access_controls/'))).statusCode).toBe(200);
    expect((await put(reader, { access_level: 'none' })).json().detail).toBe(
      "API key missing required scope 'access_control:write'",
    );
    const other = await it.makeKey(it.owner.cookie, { scopes: ['project:write'] });
    expect((await it.call(other, 'GET', path('resource_access_controls/'))).json().detail).toBe(
      "API key missing required scope 'access_control:read'",
    );
  });
});

describe('rules about all objects of a kind', () => {
  test('both endpoints return and change the same rules', async () => {
    const made = await put(it.owner, { resource: 'dashboard', access_level: 'viewer' }, path('resource_access_controls/'));
    expect(made.json()).toMatchObject({ access_level: 'viewer', resource: 'dashboard', resource_id: null });
    const more = await put(admin, { resource: 'insight', access_level: 'none', role }, path('global_access_controls/'));
    expect(more.json()).toMatchObject({ access_level: 'none', resource: 'insight', role });
    await put(it.owner, { access_level: 'member' });
    for (const name of ['resource_access_controls', 'global_access_controls']) {
      expect((await it.call(ann, 'GET', path(name))).json()).toEqual({
        access_controls: [made.json(), more.json()],
        available_access_levels: ['none', 'viewer', 'editor', 'manager'],
        default_access_level: 'editor',
        minimum_access_level: 'none',
        maximum_access_level: 'manager',
        user_access_level: 'member',
        user_can_edit_access_levels: false,
      });
    }
    const removed = await put(it.owner, { resource: 'insight', access_level: null, role }, path('resource_access_controls/'));
    expect(removed.statusCode).toBe(204);
  });

  test.each([
    [{ access_level: 'viewer' }, 'required', 'This field is required.', 'resource'],
    [{ resource: 'project', access_level: 'viewer' }, 'invalid_choice', '"project" is not a valid choice.', 'resource'],
    [
      { resource: 'dashboard', access_level: 'member' },
      'invalid_input',
      'Invalid access level. Must be one of: none, viewer, editor, manager',
      'access_level',
    ],
    [
      { resource: 'dashboard', access_level: 'viewer' },
      'permission_denied',
      'Must be an Organization admin to modify project-wide permissions.',
      null,
    ],
  ])('%j from a plain member: %s', async (body, code, detail, attr) => {
    expect((await put(ann, body, path('resource_access_controls/'))).json()).toMatchObject({ code, detail, attr });
  });
});

test('concurrent PUTs of a rule leave one row', async () => {
  const levels = Array.from({ length: 20 }, (_, n) => ['none', 'member', 'admin', null][n % 4]);
  const answers = await Promise.all(
    levels.map((access_level) => put(it.owner, { access_level, organization_member: annsMembership })),
  );
  expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([200, 204]));
  await Promise.all(
    ['member', 'admin', 'none'].map((access_level) => put(it.owner, { access_level, organization_member: annsMembership })),
  );
  expect(await it.deps.db.selectFrom('access_controls').select('id').execute()).toHaveLength(1);
});
