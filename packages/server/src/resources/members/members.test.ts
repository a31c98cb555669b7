import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { type Actor, requireMayAdd, requireMayRemove, requireMaySet } from './members.js';

type Person = { cookie: string; uuid: string };

const denied = (detail: string) => ({ type: 'authentication_error', code: 'permission_denied', detail, attr: null });
const invalid = (detail: string, attr: string | null, code = 'invalid_input') => ({
  type: 'validation_error',
  code,
  detail,
  attr,
});
const NOT_FOUND = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null };
const INSUFFICIENT = denied("You don't have sufficient permissions in the project.");
const NOBODY = '00000000-0000-4000-8000-000000000000';

let app: AccountsApp;
let projectId: number;
let project: string;
let ownerUuid: string;
let round = 0;
let plain: Person;
let admin: Person;

beforeAll(async () => {
  app = await startAccountsApp();
  ownerUuid = (await app.call(app.owner, 'GET', '/api/users/@me/')).json().uuid;
});
afterAll(() => app.close());
// a private project, a plain member and an administrator for each test
beforeEach(async () => {
  round += 1;
  const made = await app.call({ cookie: app.owner.cookie }, 'POST', '/api/projects/', {
    name: `P${round}`,
    access_control: true,
  });
  projectId = made.json().id;
  project = `/api/environments/${projectId}`;
  plain = await app.invite(`plain${round}@example.com`, 1);
  admin = await app.invite(`admin${round}@example.com`, 8);
});

const list = (caller: Caller, prefix = project) => app.call(caller, 'GET', `${prefix}/explicit_members/`);
const add = (caller: Caller, body: unknown, prefix = project) => app.call(caller, 'POST', `${prefix}/explicit_members/`, body);
const one = (method: 'GET' | 'PATCH' | 'PUT' | 'DELETE', caller: Caller, uuid: string, body?: unknown, prefix = project) =>
  app.call(caller, method, `${prefix}/explicit_members/${uuid}/`, body);
const open = () => app.call(app.owner, 'PATCH', `/api/projects/${projectId}/`, { access_control: false });
const answerOf = async (response: Promise<{ statusCode: number; body: string }>) => {
  const { statusCode, body } = await response;
  return [statusCode, body === '' ? null : JSON.parse(body)];
};

/** Somebody in an organization of their own, and its project. */
async function outsider() {
  const stranger = await app.invite(`stranger${round}@example.com`, 1);
  const founded = await app.call(stranger, 'POST', '/api/organizations/', { name: `Elsewhere ${round}` });
  const [elsewhere] = founded.json().projects;
  const removed = await app.call(app.owner, 'DELETE', `/api/organizations/@current/members/${stranger.uuid}/`);
  expect(removed.statusCode).toBe(204);
  return { stranger, projectId: elsewhere.id as number };
}

describe('spec 2.5', () => {
  test('spec 2.5 id, level, parent_level, parent_membership_id, joined_at, updated_at, user, user_uuid, effective_level', async () => {
    const { results } = (await app.call(app.owner, 'GET', '/api/organizations/@current/members/?limit=1000')).json();
    const membership = results.find((row: { user: { uuid: string } }) => row.user.uuid === plain.uuid);
    const member = (await add(app.owner, { level: 8, user_uuid: plain.uuid })).json();
    expect(member).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      level: 8,
      parent_level: 1,
      parent_membership_id: membership.id,
      joined_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/),
      updated_at: member.joined_at,
      user: membership.user,
      user_uuid: plain.uuid,
      effective_level: 8,
    });
    expect(Object.keys(member.user)).toHaveLength(8);
  });

  test.each([
    [8, 1, 8],
    [15, 8, 15],
    [1, 1, 1],
  ])('spec 2.5 effective_level: organization %i, project %i: %i', async (parent, level, effective) => {
    const person = await app.invite(`level${round}@example.com`, parent);
    const member = (await add(app.owner, { level, user_uuid: person.uuid })).json();
    expect(member).toMatchObject({ level, parent_level: parent, effective_level: effective });
  });

  test('spec 2.5 level is writable, id, joined_at, parent_level and user are read-only, user_uuid is writable on create alone', async () => {
    const member = (await add(app.owner, { user_uuid: plain.uuid })).json();
    expect(member.level).toBe(1);
    app.advance(1000);
    const readOnly = { id: NOBODY, joined_at: '2000-01-01', parent_level: 15, user: { id: 1 }, effective_level: 15 };
    const changed = (await one('PATCH', app.owner, plain.uuid, { ...readOnly, level: '8', user_uuid: admin.uuid })).json();
    expect(changed).toEqual({ ...member, level: 8, effective_level: 8, updated_at: changed.updated_at });
    expect(changed.updated_at > member.updated_at).toBe(true);
    expect((await one('GET', app.owner, plain.uuid)).json()).toEqual(changed);
  });
});

describe('spec 4.4', () => {
  test('spec 4.4 Create: 201 under both prefixes, whether or not the project is private', async () => {
    await open();
    expect((await add(admin, { user_uuid: plain.uuid })).statusCode).toBe(201);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const url = `/api/projects/${projectId}/explicit_members`;
    const made = await app.call(app.owner, 'POST', url, `user_uuid=${admin.uuid}&level=8`, form);
    expect([made.statusCode, made.json().level]).toEqual([201, 8]);
  });

  test('spec 4.4 Create takes effect: the explicit member can open the private project', async () => {
    expect((await app.call(plain, 'GET', `/api/projects/${projectId}/`)).statusCode).toBe(403);
    await add(app.owner, { user_uuid: plain.uuid });
    expect((await app.call(plain, 'GET', `/api/projects/${projectId}/`)).statusCode).toBe(200);
  });

  test('spec 4.4 Create: field errors come first, level before user_uuid', async () => {
    expect(await answerOf(add(app.owner, {}))).toEqual([400, invalid('This field is required.', 'user_uuid', 'required')]);
    expect(await answerOf(add(app.owner, { level: 15 }))).toEqual([
      400,
      invalid('"15" is not a valid choice.', 'level', 'invalid_choice'),
    ]);
    expect(await answerOf(add(app.owner, { user_uuid: 'x' }))).toEqual([400, invalid('Must be a valid UUID.', 'user_uuid')]);
    expect(await answerOf(add(app.owner, { user_uuid: null }))).toEqual([
      400,
      invalid('This field may not be null.', 'user_uuid', 'null'),
    ]);
    expect(await answerOf(add(app.owner, { level: 5, user_uuid: ownerUuid }))).toMatchObject([400, { attr: 'level' }]);
  });

  test('spec 4.4 Create: the caller, users of other organizations, deactivated members and duplicates are refused', async () => {
    const self = denied("You can't explicitly add yourself to projects.");
    expect(await answerOf(add(app.owner, { user_uuid: ownerUuid }))).toEqual([403, self]);
    expect(await answerOf(add(admin, { user_uuid: admin.uuid.toUpperCase().replaceAll('-', '') }))).toEqual([403, self]);
    const apart = denied('You both need to belong to the same organization.');
    const { stranger } = await outsider();
    expect(await answerOf(add(app.owner, { user_uuid: NOBODY }))).toEqual([403, apart]);
    expect(await answerOf(add(app.owner, { user_uuid: stranger.uuid }))).toEqual([403, apart]);
    await app.call(app.owner, 'PATCH', `/api/organizations/@current/members/${admin.uuid}/`, { is_active: false });
    expect(await answerOf(add(app.owner, { user_uuid: admin.uuid }))).toEqual([403, apart]);
    await add(app.owner, { user_uuid: plain.uuid });
    expect(await answerOf(add(app.owner, { user_uuid: plain.uuid }))).toEqual([
      400,
      invalid('This user likely already is an explicit member of the project.', null),
    ]);
  });

  test('spec 4.4 Create: of concurrent requests one creates the row, and the others get an error', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(app.owner, { user_uuid: plain.uuid })));
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([201, ...Array(7).fill(400)]);
    expect((await list(app.owner)).json()).toHaveLength(1);
  });

  test('spec 4.4 Retrieve: 200 by UUID in any spelling, 404 for others', async () => {
    const made = (await add(app.owner, { user_uuid: plain.uuid })).json();
    expect(await answerOf(one('GET', plain, plain.uuid))).toEqual([200, made]);
    expect(await answerOf(one('GET', plain, '@me'))).toEqual([200, made]);
    expect(await answerOf(one('GET', app.owner, plain.uuid.replaceAll('-', '').toUpperCase()))).toEqual([200, made]);
    for (const uuid of [admin.uuid, NOBODY, 'x', '1', 'null']) {
      expect(await answerOf(one('GET', app.owner, uuid))).toEqual([404, NOT_FOUND]);
    }
  });

  test('spec 4.4 Update: PATCH and PUT, 200; the caller cannot be updated', async () => {
    await add(app.owner, { user_uuid: plain.uuid });
    await add(app.owner, { user_uuid: admin.uuid });
    expect((await one('PATCH', admin, plain.uuid, { level: 8 })).json().level).toBe(8);
    expect((await one('PATCH', admin, plain.uuid, {})).json().level).toBe(8);
    expect((await one('PUT', admin, plain.uuid, { level: 1, user_uuid: plain.uuid })).json().level).toBe(1);
    expect(await answerOf(one('PUT', admin, plain.uuid, { level: 1 }))).toEqual([
      400,
      invalid('This field is required.', 'user_uuid', 'required'),
    ]);
    expect(await answerOf(one('PATCH', admin, admin.uuid, { level: 8 }))).toEqual([
      403,
      denied("You can't set your own access level."),
    ]);
    expect((await one('PATCH', admin, admin.uuid, {})).statusCode).toBe(200);
    expect(await answerOf(one('PATCH', admin, ownerUuid, { level: 5 }))).toEqual([404, NOT_FOUND]);
    expect(await answerOf(one('PATCH', admin, plain.uuid, { level: 15 }))).toMatchObject([400, { attr: 'level' }]);
  });

  test('spec 4.4 Delete: 204 without a body, then 404', async () => {
    await add(app.owner, { user_uuid: plain.uuid });
    expect(await answerOf(one('DELETE', admin, plain.uuid))).toEqual([204, null]);
    expect(await answerOf(one('DELETE', admin, plain.uuid))).toEqual([404, NOT_FOUND]);
    expect((await app.call(plain, 'GET', `/api/projects/${projectId}/`)).statusCode).toBe(403);
  });

  test('spec 4.4 Delete: any explicit member may leave, and others get 404', async () => {
    await add(app.owner, { user_uuid: plain.uuid });
    expect(await answerOf(one('DELETE', plain, plain.uuid))).toEqual([204, null]);
    expect(await answerOf(one('DELETE', plain, plain.uuid))).toEqual([404, NOT_FOUND]);
    expect(await answerOf(one('DELETE', plain, admin.uuid))).toEqual([403, INSUFFICIENT]);
    const { stranger } = await outsider();
    expect(await answerOf(one('DELETE', stranger, stranger.uuid))).toEqual([404, { ...NOT_FOUND, detail: 'Project not found.' }]);
    expect((await one('DELETE', {}, plain.uuid)).statusCode).toBe(401);
  });

  test('spec 4.4 (gap) list: a bare array of the members of this project', async () => {
    await add(app.owner, { user_uuid: plain.uuid, level: 8 });
    await add(app.owner, { user_uuid: admin.uuid });
    const members = (await list(plain)).json();
    expect(members.map((member: { user_uuid: string }) => member.user_uuid)).toEqual([admin.uuid, plain.uuid]);
    const other = await app.call({ cookie: app.owner.cookie }, 'POST', '/api/projects/', { name: 'Other' });
    expect((await list(app.owner, `/api/projects/${other.json().id}`)).json()).toEqual([]);
    expect((await one('GET', app.owner, plain.uuid, undefined, `/api/projects/${other.json().id}`)).statusCode).toBe(404);
  });
});

describe('access to explicit members', () => {
  test('members of the project read and its administrators write; access is checked before the body', async () => {
    const { stranger } = await outsider();
    for (const [caller, refusal] of [
      [plain, [403, INSUFFICIENT]],
      [stranger, [404, { ...NOT_FOUND, detail: 'Project not found.' }]],
    ] as const) {
      expect(await answerOf(list(caller))).toEqual(refusal);
      expect(await answerOf(one('GET', caller, admin.uuid))).toEqual(refusal);
      expect(await answerOf(add(caller, 'no json'))).toEqual(refusal);
      expect(await answerOf(one('PATCH', caller, admin.uuid, { level: 5 }))).toEqual(refusal);
      expect(await answerOf(one('PUT', caller, admin.uuid, {}))).toEqual(refusal);
      expect(await answerOf(one('DELETE', caller, admin.uuid))).toEqual(refusal);
    }
    await add(app.owner, { user_uuid: plain.uuid });
    expect((await list(plain)).statusCode).toBe(200);
    expect(await answerOf(add(plain, {}))).toEqual([403, INSUFFICIENT]);
    await one('PATCH', app.owner, plain.uuid, { level: 8 });
    expect((await add(plain, { user_uuid: admin.uuid })).statusCode).toBe(201);
  });

  test('unknown projects are not found, and requests without credentials get 401 first', async () => {
    const unknown = { ...NOT_FOUND, detail: 'Project not found.' };
    for (const id of ['999999', 'x', '2147483648']) {
      expect(await answerOf(list(app.owner, `/api/environments/${id}`))).toEqual([404, unknown]);
      expect(await answerOf(one('DELETE', plain, plain.uuid, undefined, `/api/projects/${id}`))).toEqual([404, unknown]);
    }
    expect((await list({}, '/api/environments/@current')).statusCode).toBe(401);
    expect((await list(app.owner, '/api/environments/@current')).statusCode).toBe(200);
    expect((await app.call(app.owner, 'PUT', `${project}/explicit_members/`, {})).statusCode).toBe(405);
  });

  test('keys need project:read and project:write, and reach only their projects', async () => {
    await add(app.owner, { user_uuid: plain.uuid });
    const reader = await app.makeKey(app.owner.cookie, { scopes: ['project:read'] });
    expect((await list(reader)).statusCode).toBe(200);
    expect((await one('GET', reader, plain.uuid)).statusCode).toBe(200);
    const missing = denied("API key missing required scope 'project:write'");
    expect(await answerOf(add(reader, {}))).toEqual([403, missing]);
    expect(await answerOf(one('PATCH', reader, plain.uuid, {}))).toEqual([403, missing]);
    expect(await answerOf(one('DELETE', reader, plain.uuid))).toEqual([403, missing]);
    const other = await app.makeKey(app.owner.cookie, { scopes: ['dashboard:write'] });
    expect(await answerOf(list(other))).toEqual([403, denied("API key missing required scope 'project:read'")]);
    const own = await app.makeKey(plain.cookie, { scopes: ['project:write'] });
    expect((await one('DELETE', own, plain.uuid)).statusCode).toBe(204);
    const bound = await app.makeKey(admin.cookie, { scopes: ['*'], scoped_teams: [projectId] });
    expect((await list(bound)).statusCode).toBe(200);
    expect((await list(bound, '/api/environments/1')).json().detail).toBe(
      'API key does not have access to the requested project: ID 1.',
    );
    for (const key of [reader, other, bound])
      await app.deps.db.deleteFrom('personal_api_keys').where('id', '=', key.id).execute();
  });

  test('deactivated users are missing, and return with their levels when reactivated', async () => {
    await add(app.owner, { user_uuid: plain.uuid, level: 8 });
    const member = `/api/organizations/@current/members/${plain.uuid}/`;
    await app.call(app.owner, 'PATCH', member, { is_active: false });
    expect((await list(app.owner)).json()).toEqual([]);
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      expect(await answerOf(one(method, app.owner, plain.uuid, method === 'PATCH' ? {} : undefined))).toEqual([404, NOT_FOUND]);
    }
    await app.call(app.owner, 'PATCH', member, { is_active: true });
    expect((await one('GET', app.owner, plain.uuid)).json().level).toBe(8);
    await app.deps.db.updateTable('users').set({ is_active: false }).where('uuid', '=', plain.uuid).execute();
    expect((await list(app.owner)).json()).toEqual([]);
  });

  test('a user who leaves the organization is no longer an explicit member', async () => {
    await add(app.owner, { user_uuid: plain.uuid });
    await app.call(app.owner, 'DELETE', `/api/organizations/@current/members/${plain.uuid}/`);
    expect((await list(app.owner)).json()).toEqual([]);
    expect(
      await app.deps.db.selectFrom('explicit_memberships').select('id').where('project_id', '=', projectId).execute(),
    ).toEqual([]);
  });

  test('the activity log has each change from the old to the new value', async () => {
    const { id } = (await add(app.owner, { user_uuid: plain.uuid })).json();
    await one('PATCH', admin, plain.uuid, { level: 8 });
    await one('PATCH', admin, plain.uuid, { level: 8 });
    await one('DELETE', plain, plain.uuid);
    const rows = await app.deps.db
      .selectFrom('activity_log')
      .innerJoin('users', 'users.id', 'activity_log.user_id')
      .select(['activity', 'detail', 'users.uuid'])
      .where('project_id', '=', projectId)
      .where('scope', '=', 'ExplicitMember')
      .where('item_id', '=', id)
      .orderBy('activity_log.id')
      .execute();
    const change = (action: string, before: number | null, after: number | null) => ({
      name: `plain${round}@example.com`,
      changes: [{ type: 'ExplicitMember', action, field: 'level', before, after }],
    });
    expect(rows).toMatchObject([
      { activity: 'created', uuid: ownerUuid, detail: change('created', null, 1) },
      { activity: 'updated', uuid: admin.uuid, detail: change('changed', 1, 8) },
      { activity: 'left', uuid: plain.uuid, detail: change('deleted', 8, null) },
    ]);
  });
});

describe('rules of levels', () => {
  const me = 'a';
  const outcome = (check: () => void): string => {
    try {
      check();
      return 'may';
    } catch (error) {
      return error instanceof Error ? error.message : 'not an error';
    }
  };
  const actor = (level: Actor['level']): Actor => ({ userUuid: me, level });
  const TOO_HIGH = 'You can only set access level to lower or equal to your current one.';

  test.each([
    [8, me, 15, "You can't explicitly add yourself to projects."],
    [1, 'b', 8, TOO_HIGH],
    [8, 'b', 8, 'may'],
    [15, 'b', 1, 'may'],
  ] as const)('a caller of level %s who adds %s with level %s: %s', (level, whom, granted, expected) => {
    expect(outcome(() => requireMayAdd(actor(level), whom, granted))).toBe(expected);
  });

  test.each([
    [8, me, 8, 1, "You can't set your own access level."],
    [8, me, 8, undefined, 'may'],
    [1, 'b', 8, 15, 'You can only edit others with level lower or equal to you.'],
    [1, 'b', 1, 8, TOO_HIGH],
    [8, 'b', 8, 1, 'may'],
    [8, 'b', 1, undefined, 'may'],
  ] as const)('a caller of level %s who changes %s at level %s to level %s: %s', (level, uuid, current, granted, expected) => {
    expect(outcome(() => requireMaySet(actor(level), { uuid, level: current }, granted))).toBe(expected);
  });

  test.each([
    [null, me, 'may'],
    [null, 'b', "You don't have sufficient permissions in the project."],
    [1, 'b', "You don't have sufficient permissions in the project."],
    [8, 'b', 'may'],
  ] as const)('a caller of level %s who removes %s: %s', (level, whom, expected) => {
    expect(outcome(() => requireMayRemove(actor(level), whom))).toBe(expected);
  });
});

test('no body and no path causes a 500 or adds a row', async () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(plain.uuid, NOBODY, 1, 8, '8', '\0', '\ud800', 2 ** 31, 1e308),
  );
  const body = fc.oneof(
    fc.dictionary(fc.constantFrom('level', 'user_uuid', 'id'), value).map((fields) => JSON.stringify(fields)),
    fc.json(),
    fc.string({ unit: 'binary' }),
  );
  const segment = fc.oneof(
    fc.constantFrom(plain.uuid, admin.uuid, '@me'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('POST', 'PATCH', 'PUT', 'DELETE', 'GET'), segment, body, async (method, path, payload) => {
      const base = `${project}/explicit_members/`;
      const url = method === 'POST' ? base : `${base}${encodeURIComponent(path)}/`;
      const answer = await app.call(app.owner, method, url, method === 'GET' ? undefined : payload);
      expect([answer.statusCode, answer.body]).toEqual([expect.toSatisfy((status) => status < 500), expect.any(String)]);
      const members = (await list(app.owner)).json();
      expect(members.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 100 },
  );
});
