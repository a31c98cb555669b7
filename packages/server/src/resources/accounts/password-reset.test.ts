import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AccountsApp, type Caller, cookieOf, startAccountsApp } from '../../testing/accounts-app.js';

const NEW = 'quite another passphrase 77';

let it: AccountsApp;
let owner: { cookie: string };
let admin: { cookie: string; uuid: string };
let member: { cookie: string; uuid: string };
let n = 0;
beforeAll(async () => {
  it = await startAccountsApp();
  owner = await it.logIn('owner@example.com');
  admin = await it.invite('admin@example.com', 8);
});
afterAll(() => it.close());
beforeEach(async () => {
  member = await it.invite(`member${++n}@example.com`);
});

const make = (by: Caller, uuid = member.uuid) =>
  it.call(by, 'POST', `/api/organizations/@current/members/${uuid}/password_reset/`);
const tokenOf = async (by: Caller = admin) => new URL((await make(by)).json().url).pathname.split('/')[2];
const use = (token: string | undefined, password = NEW) => it.call({}, 'POST', `/api/password_reset/${token}/`, { password });
const logIn = (password: string) => it.call({}, 'POST', '/api/login/', { email: `member${n}@example.com`, password });

test('a link sets a new password once, logs in, and ends the other sessions', async () => {
  const token = await tokenOf();
  expect((await it.call({}, 'GET', `/api/password_reset/${token}/`)).json()).toEqual({
    email: `m****${n}@example.com`,
    first_name: 'New',
  });
  const answer = await use(token);
  expect([answer.statusCode, answer.json()]).toEqual([200, { success: true }]);
  expect((await it.call({ cookie: cookieOf(answer) }, 'GET', '/api/users/@me/')).json().email).toBe(`member${n}@example.com`);
  expect((await it.call(member, 'GET', '/api/users/@me/')).statusCode).toBe(401);
  expect((await logIn(NEW)).statusCode).toBe(200);
  expect((await use(token)).statusCode).toBe(404);
  const log = await it.call(owner, 'GET', '/api/organizations/@current/activity_log/?scope=OrganizationMember');
  if (log.statusCode === 200) expect(log.json().results[0]).toMatchObject({ activity: 'password_reset' });
});

test('of two uses at once one succeeds', async () => {
  const token = await tokenOf();
  const both = await Promise.all([use(token), use(token, `${NEW} or so`)]);
  expect(both.map((one) => one.statusCode).sort()).toEqual([200, 404]);
});

test('a weak password leaves the link valid; a newer link or a day ends it', async () => {
  const token = await tokenOf();
  const weak = await use(token, 'password1');
  expect([weak.statusCode, weak.json()]).toMatchObject([400, { code: 'password_too_weak', attr: 'password' }]);
  const newer = await tokenOf();
  expect((await use(token)).json()).toMatchObject({ code: 'not_found', detail: 'This link is not valid any more.' });
  it.advance(86_400_001);
  for (const one of [newer, 'invented', '%00']) expect((await use(one)).statusCode).toBe(404);
});

test('only administrators in a login session make links, for members up to their own level', async () => {
  const ownerUuid = (await it.call(owner, 'GET', '/api/users/@me/')).json().uuid;
  expect((await make(member, admin.uuid)).statusCode).toBe(403);
  expect((await make(admin, ownerUuid)).statusCode).toBe(403);
  expect((await make(admin, admin.uuid)).statusCode).toBe(403);
  expect((await make({ key: it.owner.key })).statusCode).toBe(403);
  expect((await make(admin, '0192f3a1-7c1e-7b5a-9f58-3f1d2c4b5a69')).statusCode).toBe(404);
  expect((await make(owner)).statusCode).toBe(201);
});

test('no administrator takes over a member of an organization that is not theirs', async () => {
  await it.call(member, 'POST', '/api/organizations/', { name: 'Own' });
  const refused = await make(owner);
  expect([refused.statusCode, refused.json().detail]).toEqual([
    403,
    'This member also belongs to an organization that you do not administer.',
  ]);
});
