import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, cookieOf, PASSWORD, startAccountsApp } from '../../testing/accounts-app.js';

const BASE = '/api/organizations/@current';
const denied = (detail: string) => ({ type: 'authentication_error', code: 'permission_denied', detail, attr: null });
const TOO_LOW = denied('Your organization access level is insufficient.');

let it: AccountsApp;
beforeAll(async () => {
  it = await startAccountsApp();
});
afterAll(() => it.close());

test('organizations are listed, renamed, created and deleted', async () => {
  const list = (await it.call(it.owner, 'GET', '/api/organizations/?limit=1')).json();
  expect(Object.keys(list)).toEqual(['count', 'next', 'previous', 'results']);
  expect(list.results[0]).toMatchObject({ name: 'First', slug: 'first', membership_level: 15, teams: [{ name: 'Main' }] });
  const member = await it.invite('plain@example.com');
  expect((await it.call(member, 'PATCH', `${BASE}/`, { name: '' })).json()).toEqual(TOO_LOW);
  expect((await it.call(it.owner, 'PATCH', `${BASE}/`, { name: '' })).json()).toMatchObject({ code: 'blank', attr: 'name' });
  expect((await it.call(it.owner, 'PATCH', `${BASE}/`, { name: 'Renamed', slug: 'x' })).json()).toMatchObject({
    name: 'Renamed',
    slug: 'first',
  });

  const twins = await Promise.all([1, 2].map(() => it.call(it.owner, 'POST', '/api/organizations/', { name: 'Twin' })));
  expect(twins.map((one) => one.statusCode)).toEqual([201, 201]);
  const [one, two] = twins.map((twin) => twin.json());
  expect(one.slug).not.toBe(two.slug);
  for (const { id } of [one, two]) {
    expect((await it.call(member, 'DELETE', `/api/organizations/${id}/`)).statusCode).toBe(404);
    expect((await it.call(it.owner, 'DELETE', `/api/organizations/${id}/`)).statusCode).toBe(204);
    expect((await it.call(it.owner, 'GET', `/api/organizations/${id}/`)).json().detail).toBe('Organization not found.');
  }
  const admin = await it.invite('almost@example.com', 8);
  expect((await it.call(admin, 'DELETE', `${BASE}/`)).json()).toEqual(TOO_LOW);
});

describe('members of an organization', () => {
  let plain: { cookie: string; uuid: string };
  let admin: { cookie: string; uuid: string };
  let second: { cookie: string; uuid: string };
  let round = 0;
  beforeEach(async () => {
    round += 1;
    plain = await it.invite(`plain${round}@example.com`, 1);
    admin = await it.invite(`admin${round}@example.com`, 8);
    second = await it.invite(`second${round}@example.com`, 15);
  });
  const change = (caller: { cookie: string }, uuid: string, body: object) =>
    it.call(caller, 'PATCH', `${BASE}/members/${uuid}/`, body);

  test('the list has their level and last log-in', async () => {
    const list = (await it.call(plain, 'GET', `${BASE}/members/?limit=2`)).json();
    expect(list.count).toBeGreaterThanOrEqual(4);
    expect(list.next).toContain('limit=2&offset=2');
    expect(list.results[0]).toMatchObject({
      level: 15,
      is_2fa_enabled: false,
      has_social_auth: false,
      last_login: expect.any(String),
      user: { email: 'owner@example.com', hedgehog_config: {}, is_email_verified: false },
    });
    expect(Object.keys(list.results[0].user)).toHaveLength(8);
  });

  test('administrators change members, but not above their own level and not themselves', async () => {
    expect((await change(plain, admin.uuid, {})).json()).toEqual(TOO_LOW);
    expect((await change(admin, admin.uuid, { level: 1 })).json()).toEqual(denied("You can't change your own access level."));
    expect((await change(admin, second.uuid, { level: 1 })).json()).toEqual(
      denied('You can only edit others with level lower or equal to you.'),
    );
    expect((await change(admin, plain.uuid, { level: 15 })).json()).toEqual(
      denied('You can only change access level of others to lower or equal to your current one.'),
    );
    expect((await change(admin, plain.uuid, { level: 5 })).json()).toMatchObject({ code: 'invalid_choice', attr: 'level' });
    expect((await change(admin, plain.uuid, { level: '8' })).json().level).toBe(8);
    expect((await change(admin, it.deps.ids.uuid(), {})).statusCode).toBe(404);
    expect((await change(admin, 'no-uuid', {})).statusCode).toBe(404);
  });

  test('of two owners who demote each other concurrently, one remains', async () => {
    const fresh = await startAccountsApp();
    const other = await fresh.invite('other@example.com', 15);
    const first = (await fresh.call(fresh.owner, 'GET', '/api/users/@me/')).json();
    const answers = await Promise.all([
      fresh.call(fresh.owner, 'PATCH', `${BASE}/members/${other.uuid}/`, { level: 1 }),
      fresh.call(other, 'PATCH', `${BASE}/members/${first.uuid}/`, { level: 1 }),
    ]);
    expect(answers.map((one) => one.statusCode).sort()).toEqual([200, 403]);
    await fresh.close();
  });

  test('sessions and keys of a deactivated member stop at once, and work again after reactivation', async () => {
    const { key } = await it.makeKey(plain.cookie, {});
    expect((await it.call({ key }, 'GET', '/api/projects/@current/')).statusCode).toBe(200);
    expect((await change(admin, plain.uuid, { is_active: 'false' })).json().is_active).toBe(false);
    expect((await it.call({ key }, 'GET', '/api/projects/@current/')).json()).toMatchObject({ code: 'authentication_failed' });
    expect((await it.call(plain, 'GET', '/api/users/@me/')).statusCode).toBe(401);
    const again = await it.call({}, 'POST', '/api/login/', { email: `plain${round}@example.com`, password: PASSWORD });
    expect(again.json().code).toBe('invalid_credentials');
    const seen = (await it.call(second, 'GET', `${BASE}/members/?limit=1000`)).json();
    expect(seen.results.some((one: { user: { uuid: string } }) => one.user.uuid === plain.uuid)).toBe(true);
    expect((await change(admin, plain.uuid, { is_active: true })).statusCode).toBe(200);
    expect((await it.call({ key }, 'GET', '/api/projects/@current/')).statusCode).toBe(200);
  });

  test('a user who is deactivated in one of two organizations keeps the other', async () => {
    const { key } = await it.makeKey(plain.cookie, {});
    const own = (await it.call({ key }, 'POST', '/api/organizations/', { name: 'Own' })).json();
    const first = (await it.call(it.owner, 'GET', `${BASE}/`)).json();
    await change(admin, plain.uuid, { is_active: false });
    const answer = await it.call({ key }, 'GET', `/api/projects/${first.teams[0].id}/`);
    expect([answer.statusCode, answer.json().detail]).toEqual([404, 'Project not found.']);
    expect((await it.call({ key }, 'GET', `/api/organizations/${first.id}/members/`)).statusCode).toBe(403);
    expect((await it.call({ key }, 'GET', `/api/organizations/@current/`)).json().id).toBe(own.id);
  });

  test('a removal ends sessions and keys for good, and the user can be invited again', async () => {
    const { key } = await it.makeKey(plain.cookie, {});
    expect((await it.call(plain, 'DELETE', `${BASE}/members/${admin.uuid}/`)).json()).toEqual(TOO_LOW);
    expect((await it.call(admin, 'DELETE', `${BASE}/members/${second.uuid}/`)).statusCode).toBe(403);
    expect((await it.call(admin, 'DELETE', `${BASE}/members/${plain.uuid}/`)).statusCode).toBe(204);
    expect((await it.call(admin, 'DELETE', `${BASE}/members/${plain.uuid}/`)).statusCode).toBe(404);
    expect((await it.call({ key }, 'GET', '/api/users/@me/')).statusCode).toBe(401);
    expect((await it.call(plain, 'GET', '/api/users/@me/')).statusCode).toBe(401);

    const email = `plain${round}@example.com`;
    const invite = (await it.call(admin, 'POST', `${BASE}/invites/`, { target_email: email })).json();
    const anonymous = await it.call({}, 'POST', `/api/signup/${invite.id}/`, { first_name: 'x', password: PASSWORD });
    expect(anonymous.json().code).toBe('account_exists');
    const session = await it.logIn(email);
    expect((await it.call(session, 'GET', '/api/users/@me/')).json()).toMatchObject({
      organization: null,
      team: null,
      organizations: [],
    });
    expect((await it.call(session, 'POST', '/api/organizations/', { name: 'mine' })).statusCode).toBe(403);
    expect((await it.call(session, 'POST', `/api/signup/${invite.id}/`)).statusCode).toBe(201);
    expect((await it.call(session, 'GET', '/api/projects/@current/')).statusCode).toBe(200);
    expect((await it.call({ key }, 'GET', '/api/users/@me/')).statusCode).toBe(401);
  });

  test('the deletion of an organization ends the keys of members without another organization, also if they are invited elsewhere', async () => {
    const shop = (await it.call(it.owner, 'POST', '/api/organizations/', { name: 'Shop' })).json();
    const join = async (organization: string, email: string) => {
      const url = `/api/organizations/${organization}/invites/`;
      const invite = (await it.call({ cookie: it.owner.cookie }, 'POST', url, { target_email: email })).json();
      return it.call(await it.logIn(email).catch(() => ({})), 'POST', `/api/signup/${invite.id}/`, {
        first_name: 'Kim',
        password: PASSWORD,
      });
    };
    const kim = { cookie: cookieOf(await join(shop.id, `kim${round}@example.com`)) };
    const only = await it.makeKey(kim.cookie, {});
    expect((await join(shop.id, `plain${round}@example.com`)).statusCode).toBe(201);
    const both = await it.makeKey(plain.cookie, {});

    expect((await it.call({ cookie: it.owner.cookie }, 'DELETE', `/api/organizations/${shop.id}/`)).statusCode).toBe(204);
    const first = (await it.call(it.owner, 'GET', `${BASE}/`)).json();
    expect((await join(first.id, `kim${round}@example.com`)).statusCode).toBe(201);
    expect((await it.call({ key: only.key }, 'GET', '/api/users/@me/')).statusCode).toBe(401);
    expect((await it.call({ key: both.key }, 'GET', '/api/users/@me/')).statusCode).toBe(200);
  });

  test('any member except the last owner may leave', async () => {
    expect((await it.call(plain, 'DELETE', `${BASE}/members/@me/`)).statusCode).toBe(204);
    const fresh = await startAccountsApp();
    const alone = await fresh.call(fresh.owner, 'DELETE', `${BASE}/members/@me/`);
    expect([alone.statusCode, alone.json().code]).toEqual([403, 'permission_denied']);
    const other = await fresh.invite('other@example.com', 15);
    const both = await Promise.all([fresh.owner, other].map((one) => fresh.call(one, 'DELETE', `${BASE}/members/@me/`)));
    expect(both.map((one) => one.statusCode).sort()).toEqual([204, 403]);
    await fresh.close();
  });
});

describe('invites to an organization', () => {
  const create = (body: unknown, caller: { key?: string; cookie?: string } = it.owner) =>
    it.call(caller, 'POST', `${BASE}/invites/`, body);

  test('administrators invite, up to their own level', async () => {
    const plain = await it.invite('p-inv@example.com');
    const admin = await it.invite('a-inv@example.com', 8);
    expect((await create({}, plain)).json()).toEqual(TOO_LOW);
    expect((await it.call(plain, 'GET', `${BASE}/invites/`)).json()).toEqual(TOO_LOW);
    expect((await create({}, admin)).json()).toMatchObject({ code: 'required', attr: 'target_email' });
    expect((await create({ target_email: 'o@example.com', level: 15 }, admin)).statusCode).toBe(403);
    const high = (await create({ target_email: 'o@example.com', level: 15 })).json();
    const seen = (await it.call(admin, 'GET', `${BASE}/invites/`)).json();
    expect(seen.results.map((one: { id: string }) => one.id)).not.toContain(high.id);
    expect((await it.call(admin, 'DELETE', `${BASE}/invites/${high.id}/`)).statusCode).toBe(404);
    // replacing it would take it back, and nothing of a refused bulk is made
    const bulk = [{ target_email: 'beside@example.com' }, { target_email: 'O@example.com' }];
    expect((await it.call(admin, 'POST', `${BASE}/invites/bulk/`, bulk)).json()).toEqual(
      denied('You can only replace invites with level lower or equal to you.'),
    );
    expect((await it.call({}, 'GET', `/api/signup/${high.id}/`)).statusCode).toBe(200);
    expect((await it.call(admin, 'GET', `${BASE}/invites/`)).json().results).toEqual(seen.results);
    expect((await it.call(it.owner, 'DELETE', `${BASE}/invites/${high.id}/`)).statusCode).toBe(204);
    expect((await create({ target_email: 'P-INV@example.com' })).json()).toMatchObject({
      code: 'invalid_input',
      attr: 'target_email',
    });
  });

  test('an invite expires after three days and works once, and only the newest for an address works', async () => {
    const old = (await create({ target_email: 'late@example.com' })).json();
    expect(old).toMatchObject({ level: 1, first_name: '', is_expired: false, created_by: { email: 'owner@example.com' } });
    const invite = (await create({ target_email: 'LATE@example.com', first_name: 'Late' })).json();
    expect((await it.call({}, 'GET', `/api/signup/${old.id}/`)).json()).toEqual({
      type: 'validation_error',
      code: 'invalid_input',
      detail: 'The provided invite ID is not valid.',
      attr: null,
    });
    expect((await it.call({}, 'GET', `/api/signup/${invite.id}/`)).json()).toEqual({
      id: invite.id,
      target_email: 'L****E@example.com',
      first_name: 'Late',
      organization_name: expect.any(String),
    });
    await create({ target_email: 'high@example.com', level: 15 });
    it.advance(3 * 86_400_000);
    expect((await it.call({}, 'POST', `/api/signup/${invite.id}/`, {})).json().code).toBe('expired');
    const admin = await it.invite('late-admin@example.com', 8);
    expect((await create({ target_email: 'high@example.com' }, admin)).statusCode).toBe(201);
    const renewed = (await create({ target_email: 'late@example.com' })).json();
    const body = { first_name: 'L', password: PASSWORD };
    const both = await Promise.all([1, 2].map(() => it.call({}, 'POST', `/api/signup/${renewed.id}/`, body)));
    expect(both.map((one) => one.statusCode).sort()).toEqual([201, 400]);
    expect((await it.call({}, 'POST', `/api/signup/nonsense/`, body)).statusCode).toBe(400);
  });

  test('an invite is refused for another user’s account', async () => {
    const invite = (await create({ target_email: 'meant@example.com' })).json();
    expect((await it.call({ cookie: it.owner.cookie }, 'POST', `/api/signup/${invite.id}/`)).json().code).toBe(
      'invalid_recipient',
    );
  });

  test('an invite can make the new member an explicit member of private projects', async () => {
    const project = (await it.call(it.owner, 'POST', '/api/projects/', { name: 'Secret', access_control: true })).json();
    const access = (id: number, level = 1) => ({ target_email: 'in@example.com', private_project_access: [{ id, level }] });
    expect((await create(access(424242))).json()).toMatchObject({ attr: 'private_project_access', code: 'invalid_input' });
    expect((await create(access(project.id, 15))).json()).toMatchObject({ code: 'invalid_choice' });
    const out = await it.invite('out@example.com');
    const inside = await it.invite('in@example.com', 1, access(project.id, 8));
    const url = `/api/projects/${project.id}/`;
    expect((await it.call(out, 'GET', url)).json()).toEqual(denied("You don't have access to the project."));
    expect((await it.call(inside, 'GET', url)).json().effective_membership_level).toBe(8);
    const names = async (caller: { cookie: string }) =>
      (await it.call(caller, 'GET', '/api/projects/')).json().results.map((one: { name: string }) => one.name);
    expect(await names(out)).not.toContain('Secret');
    expect(await names(inside)).toContain('Secret');
  });

  test('at most twenty can be created at once, all or none', async () => {
    const bulk = (body: unknown) => it.call(it.owner, 'POST', `${BASE}/invites/bulk/`, body);
    const people = (count: number) => Array.from({ length: count }, (_, n) => ({ target_email: `bulk${n}@example.com` }));
    expect((await bulk(people(21))).json()).toEqual({
      type: 'validation_error',
      code: 'max_length',
      detail: 'A maximum of 20 invites can be sent in a single request.',
      attr: null,
    });
    expect((await bulk({})).json()).toMatchObject({ code: 'not_a_list', attr: null });
    expect((await bulk([...people(2), { target_email: 'no' }])).json()).toMatchObject({ attr: '2__target_email' });
    const made = await bulk([...people(20)]);
    expect([made.statusCode, made.json().length]).toEqual([201, 20]);
    const twice = await bulk([{ target_email: 'twice@example.com' }, { target_email: 'Twice@example.com' }]);
    expect([twice.statusCode, twice.json().length]).toEqual([201, 1]);
  });
});

test('members of one organization cannot reach another', async () => {
  const fresh = await startAccountsApp({ openSignup: true });
  const stranger = {
    cookie: cookieOf(
      await fresh.call({}, 'POST', '/api/signup/', { email: 's@example.com', first_name: 'S', password: PASSWORD }),
    ),
  };
  const own = (await fresh.call(fresh.owner, 'GET', `${BASE}/`)).json();
  const me = (await fresh.call(fresh.owner, 'GET', '/api/users/@me/')).json();
  const project = own.teams[0].id;
  const theirs = (await fresh.call(stranger, 'GET', `${BASE}/`)).json();
  const key = await fresh.makeKey(fresh.owner.cookie, {});
  const invite = (await fresh.call(fresh.owner, 'POST', `${BASE}/invites/`, { target_email: 'x@example.com' })).json();
  const org = `/api/organizations/${own.id}`;
  const cases: [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, status: number][] = [
    ['GET', `${org}/`, 404],
    ['PATCH', `${org}/`, 404],
    ['DELETE', `${org}/`, 404],
    ['GET', `${org}/members/`, 403],
    ['PATCH', `${org}/members/${me.uuid}/`, 403],
    ['DELETE', `${org}/members/${me.uuid}/`, 403],
    ['GET', `${org}/invites/`, 403],
    ['POST', `${org}/invites/`, 403],
    ['POST', `${org}/invites/bulk/`, 403],
    ['DELETE', `${org}/invites/${invite.id}/`, 403],
    ['GET', `${org}/projects/`, 403],
    ['POST', `${org}/projects/`, 403],
    ['GET', `${org}/projects/${project}/`, 403],
    ['DELETE', `/api/organizations/${theirs.id}/members/${me.uuid}/`, 404],
    ['DELETE', `/api/organizations/${theirs.id}/invites/${invite.id}/`, 404],
    ['GET', `/api/organizations/${theirs.id}/projects/${project}/`, 404],
    ['GET', `/api/projects/${project}/`, 404],
    ['PATCH', `/api/environments/${project}/`, 404],
    ['DELETE', `/api/projects/${project}/`, 404],
    ['PATCH', `/api/projects/${project}/reset_token/`, 404],
    ['GET', `/api/personal_api_keys/${key.id}/`, 404],
    ['PATCH', `/api/personal_api_keys/${key.id}/`, 404],
    ['POST', `/api/personal_api_keys/${key.id}/roll/`, 404],
    ['DELETE', `/api/personal_api_keys/${key.id}/`, 404],
    ['GET', `/api/users/${me.uuid}/`, 404],
  ];
  for (const [method, url, status] of cases) {
    const answer = await fresh.call(stranger, method, url, method === 'GET' ? undefined : { name: 'stolen', level: 1 });
    expect([method, url, answer.statusCode]).toEqual([method, url, status]);
    expect(answer.body).not.toContain(own.teams[0].api_token);
  }
  expect((await fresh.call(stranger, 'GET', '/api/organizations/')).json().count).toBe(1);
  expect((await fresh.call(stranger, 'GET', '/api/projects/')).body).not.toContain(own.teams[0].api_token);
  await fresh.close();
});
