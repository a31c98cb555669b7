import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, cookieOf, PASSWORD, startAccountsApp } from '../../testing/accounts-app.js';
import { ensureInitAccount, firstAccountExists } from './index.js';

const signup = { email: 'Ann@example.com', password: PASSWORD, first_name: 'Ann', organization_name: 'Ännchen & Co' };

describe('the first account', () => {
  let it: AccountsApp;
  beforeAll(async () => {
    it = await startAccountsApp({ init: null });
  });
  afterAll(() => it.close());

  test.each([
    [{}, 'first_name', 'required', 'This field is required.'],
    [{ ...signup, first_name: ' ' }, 'first_name', 'blank', 'This field may not be blank.'],
    [{ ...signup, email: 'x' }, 'email', 'invalid_input', 'Enter a valid email address.'],
    [{ ...signup, password: null }, 'password', 'null', 'This field may not be null.'],
    [
      { ...signup, password: 'x1$Zq' },
      'password',
      'password_too_short',
      'This password is too short. It must contain at least 8 characters.',
    ],
    [{ ...signup, password: 'password123' }, 'password', 'password_too_weak', 'This password is too weak.'],
    [{ ...signup, password: 'ann@example.com' }, 'password', 'password_too_weak', 'This password is too weak.'],
    [
      { ...signup, organization_name: 'x'.repeat(65) },
      'organization_name',
      'max_length',
      'Ensure this field has no more than 64 characters.',
    ],
  ])('registration with %j is refused', async (body, attr, code, detail) => {
    const answer = await it.call({}, 'POST', '/api/signup/', body);
    expect([answer.statusCode, answer.json()]).toEqual([400, { type: 'validation_error', code, detail, attr }]);
    expect(await firstAccountExists(it.deps)).toBe(false);
  });

  test('of concurrent registrations of the first account one succeeds, and all others need an invite', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => it.call({}, 'POST', '/api/signup/', { ...signup, email: `ann${n}@example.com` })),
    );
    expect(answers.map((one) => one.statusCode).sort()).toEqual([201, 403, 403, 403]);
    expect(await firstAccountExists(it.deps)).toBe(true);
    const late = await it.call({}, 'POST', '/api/signup/', {});
    expect(late.json()).toEqual({
      type: 'authentication_error',
      code: 'permission_denied',
      detail: 'New accounts need an invite. Ask an administrator of your organization for one.',
      attr: null,
    });
    const winner = answers.find((one) => one.statusCode === 201);
    const me = (await it.call({ cookie: cookieOf(winner ?? late) }, 'GET', '/api/users/@me/')).json();
    expect(me.organization).toMatchObject({ name: 'Ännchen & Co', slug: 'annchen-co', membership_level: 15 });
    expect(me.team).toMatchObject({
      name: 'Default project',
      timezone: 'UTC',
      api_token: expect.stringMatching(/^tmk_[\w-]{43}$/),
    });
    expect(JSON.stringify(winner?.json())).not.toMatch(/argon|password/);
  });
});

test('with open registration anybody can create an account, one for each e-mail address', async () => {
  const it = await startAccountsApp({ openSignup: true });
  const both = await Promise.all([1, 2].map(() => it.call({}, 'POST', '/api/signup/', signup)));
  expect(both.map((one) => one.statusCode).sort()).toEqual([201, 400]);
  expect(both.find((one) => one.statusCode === 400)?.json()).toMatchObject({ code: 'unique', attr: 'email' });
  await it.close();
});

test('concurrent servers create the configured account once', async () => {
  const it = await startAccountsApp();
  const other = { ...it.deps.config.init, email: 'second@example.com', personalKey: null };
  const deps = {
    ...it.deps,
    config: { ...it.deps.config, init: { ...other, password: PASSWORD, organization: 'o', project: 'p', projectKey: 'own-key' } },
  };
  await Promise.all([1, 2, 3].map(() => ensureInitAccount(deps)));
  await ensureInitAccount(deps);
  const session = await it.logIn('second@example.com');
  const me = (await it.call(session, 'GET', '/api/users/@me/')).json();
  expect(me.organizations).toHaveLength(1);
  expect(me.team).toMatchObject({ name: 'p', api_token: 'own-key' });
  const init = { ...deps.config.init, email: 'third@example.com' };
  await expect(ensureInitAccount({ ...deps, config: { ...deps.config, init } })).rejects.toThrow('TIDEMARK_INIT_PROJECT_KEY');
  expect((await it.call({}, 'POST', '/api/login/', { email: 'third@example.com', password: PASSWORD })).statusCode).toBe(400);
  await it.close();
});

describe('log-in', () => {
  let it: AccountsApp;
  beforeAll(async () => {
    it = await startAccountsApp();
  });
  afterAll(() => it.close());
  const wrong = { type: 'validation_error', code: 'invalid_credentials', detail: 'Invalid email or password.', attr: null };
  const logIn = (email: string, password = 'wrong password') => it.call({}, 'POST', '/api/login/', { email, password });

  test('the right password opens a session; a wrong password and an unknown account get the same refusal', async () => {
    const right = await logIn('owner@example.com', PASSWORD);
    expect([right.statusCode, right.json()]).toEqual([200, { success: true }]);
    for (const email of ['owner@example.com', 'nobody@example.com']) {
      const answer = await logIn(email);
      expect([answer.statusCode, answer.json()]).toEqual([400, wrong]);
    }
    expect((await it.call({}, 'POST', '/api/login/', {})).json()).toMatchObject({ code: 'required', attr: 'email' });
  });

  test('a log-in from a page of another site is refused', async () => {
    const headers = { origin: 'https://evil.example' };
    const body = { email: 'owner@example.com', password: PASSWORD };
    expect((await it.call({}, 'POST', '/api/login/', body, headers)).statusCode).toBe(403);
  });

  test('30 failures, even concurrent ones, lock the account for ten minutes, also for the right password', async () => {
    const fresh = await startAccountsApp();
    const attempt = (password: string) => fresh.call({}, 'POST', '/api/login/', { email: 'Owner@example.com ', password });
    const answers = await Promise.all(Array.from({ length: 40 }, () => attempt('wrong')));
    expect(answers.filter((one) => one.statusCode === 400)).toHaveLength(30);
    const closed = await attempt(PASSWORD);
    expect([closed.statusCode, closed.json().code, closed.headers['retry-after']]).toEqual([
      403,
      'too_many_failed_attempts',
      '600',
    ]);
    fresh.advance(9 * 60_000);
    expect((await attempt(PASSWORD)).statusCode).toBe(403);
    fresh.advance(61_000);
    expect((await attempt(PASSWORD)).statusCode).toBe(200);
    await fresh.close();
  });

  describe('failed log-ins from several networks', () => {
    let fresh: AccountsApp;
    beforeEach(async () => {
      fresh = await startAccountsApp({ trustedProxies: ['127.0.0.1'] });
    });
    afterEach(() => fresh.close());
    const attempt = async (ip: string, email: string, password = 'wrong') =>
      (await fresh.call({}, 'POST', '/api/login/', { email, password }, { 'x-forwarded-for': ip })).statusCode;
    /** The statuses of so many wrong tries, with how often each came. */
    const wrong = async (times: number, ip: (n: number) => string, email: (n: number) => string) => {
      const counts: Record<number, number> = {};
      for (let n = 0; n < times; n += 20) {
        const some = Array.from({ length: Math.min(20, times - n) }, (_, i) => attempt(ip(n + i), email(n + i)));
        for (const status of await Promise.all(some)) counts[status] = (counts[status] ?? 0) + 1;
      }
      return counts;
    };

    test('30 failures lock an account for one network: other accounts of the network and the account elsewhere still log in', async () => {
      await fresh.invite('colleague@example.com');
      expect(
        await wrong(
          40,
          () => '192.0.2.1',
          () => 'owner@example.com',
        ),
      ).toEqual({ 400: 30, 403: 10 });
      expect(await attempt('192.0.2.1', 'owner@example.com', PASSWORD)).toBe(403);
      expect(await attempt('192.0.2.1', 'colleague@example.com', PASSWORD)).toBe(200);
      expect(await attempt('192.0.2.2', 'owner@example.com', PASSWORD)).toBe(200);
      fresh.advance(10 * 60_000 + 1000);
      expect(await attempt('192.0.2.1', 'owner@example.com', PASSWORD)).toBe(200);
    });

    test('the addresses of one IPv6 /64 network count as one', async () => {
      expect(
        await wrong(
          40,
          (n) => `2001:db8:0:7::${n.toString(16)}`,
          () => 'owner@example.com',
        ),
      ).toEqual({ 400: 30, 403: 10 });
      expect(await attempt('2001:db8:0:7:ffff::1', 'owner@example.com', PASSWORD)).toBe(403);
      expect(await attempt('2001:db8:0:8::1', 'owner@example.com', PASSWORD)).toBe(200);
    });

    test('100 failures from anywhere lock an account, and 300 with any accounts lock a network; a success resets neither', async () => {
      const anywhere = (n: number) => `10.1.${n >> 8}.${n & 255}`;
      expect(await wrong(99, anywhere, () => 'owner@example.com')).toEqual({ 400: 99 });
      expect(await attempt('192.0.2.9', 'owner@example.com', PASSWORD)).toBe(200);
      expect(await wrong(2, anywhere, () => 'owner@example.com')).toEqual({ 400: 1, 403: 1 });
      expect(
        await wrong(
          299,
          () => '192.0.2.1',
          (n) => `${n}@example.com`,
        ),
      ).toEqual({ 400: 299 });
      await fresh.invite('colleague@example.com');
      expect(await attempt('192.0.2.1', 'colleague@example.com', PASSWORD)).toBe(200);
      expect(
        await wrong(
          2,
          () => '192.0.2.1',
          () => 'x@example.com',
        ),
      ).toEqual({ 400: 1, 403: 1 });
      expect(await attempt('192.0.2.1', 'colleague@example.com', PASSWORD)).toBe(403);
    });
  });
});

describe('the account of the caller', () => {
  let it: AccountsApp;
  beforeAll(async () => {
    it = await startAccountsApp();
  });
  afterAll(() => it.close());
  const patch = (body: object, caller: { key?: string; cookie?: string } = { cookie: it.owner.cookie }) =>
    it.call(caller, 'PATCH', '/api/users/@me/', body);

  test('/users/@me/ returns the caller, and updates names, theme and mascot', async () => {
    const me = (
      await patch({ first_name: 'A', last_name: 'B', theme_mode: 'dark', hedgehog_config: { color: 'red' }, id: 7 })
    ).json();
    expect(me).toMatchObject({
      id: 1,
      first_name: 'A',
      last_name: 'B',
      theme_mode: 'dark',
      hedgehog_config: { color: 'red' },
      email: 'owner@example.com',
      has_password: true,
      is_email_verified: false,
    });
    expect((await it.call(it.owner, 'GET', `/api/users/${me.uuid}/`)).json().id).toBe(me.id);
    expect((await it.call(it.owner, 'GET', `/api/users/${me.id}/`)).statusCode).toBe(404);
    expect((await patch({ theme_mode: 'pink' })).json()).toMatchObject({ code: 'invalid_choice', attr: 'theme_mode' });
    expect((await patch({ hedgehog_config: null })).json().hedgehog_config).toEqual({});
  });

  test('a new password needs the current one, and ends all other sessions', async () => {
    const other = await it.logIn('owner@example.com');
    const password = 'another fine passphrase 43';
    expect((await patch({ password })).json()).toMatchObject({ attr: 'current_password', code: 'required' });
    expect((await patch({ password, current_password: 'no' })).json()).toMatchObject({
      attr: 'current_password',
      code: 'incorrect_password',
    });
    expect((await patch({ password: 'short', current_password: PASSWORD })).json()).toMatchObject({ code: 'password_too_short' });
    expect((await patch({ password }, { key: it.owner.key })).statusCode).toBe(403);
    expect((await it.call(other, 'GET', '/api/users/@me/')).statusCode).toBe(200);
    expect((await patch({ password, current_password: PASSWORD })).statusCode).toBe(200);
    expect((await it.call(other, 'GET', '/api/users/@me/')).statusCode).toBe(401);
    expect((await it.call({}, 'POST', '/api/login/', { email: 'owner@example.com', password })).statusCode).toBe(200);
    expect((await patch({ password: PASSWORD, current_password: password })).statusCode).toBe(200);
  });

  test('a new e-mail address needs the password and must be unused', async () => {
    await it.invite('taken@example.com');
    const current_password = PASSWORD;
    expect((await patch({ email: 'mine@evil.example' })).json()).toMatchObject({
      code: 'required',
      attr: 'current_password',
      detail: 'This field is required when updating your email.',
    });
    expect((await patch({ email: 'mine@evil.example', current_password: 'no' })).json()).toMatchObject({
      code: 'incorrect_password',
      attr: 'current_password',
    });
    expect((await it.call(it.owner, 'GET', '/api/users/@me/')).json().email).toBe('owner@example.com');
    // a form that sends every field changes nothing by it
    expect((await patch({ email: 'Owner@example.com', first_name: 'A' })).json().email).toBe('Owner@example.com');
    expect((await patch({ email: 'TAKEN@example.com', current_password })).json()).toMatchObject({
      code: 'unique',
      attr: 'email',
    });
    expect((await patch({ email: 'owner2@example.com', current_password })).json().email).toBe('owner2@example.com');
    expect((await patch({ email: 'owner@example.com', current_password })).statusCode).toBe(200);
  });

  test('a user switches to other organizations and projects of their own', async () => {
    const second = (await it.call(it.owner, 'POST', '/api/organizations/', { name: 'Second' })).json();
    const first = (await it.call(it.owner, 'GET', '/api/organizations/')).json().results[0];
    let me = (await patch({ set_current_organization: first.id })).json();
    expect([me.organization.id, me.team.id]).toEqual([first.id, first.teams[0].id]);
    me = (await patch({ set_current_team: second.teams[0].id })).json();
    expect([me.organization.id, me.team.id]).toEqual([second.id, second.teams[0].id]);
    expect((await it.call(it.owner, 'GET', '/api/projects/@current/')).json().id).toBe(second.teams[0].id);
    expect((await patch({ set_current_team: 424242 })).json()).toMatchObject({
      code: 'does_not_exist',
      attr: 'set_current_team',
    });
    const foreign = { set_current_organization: it.deps.ids.uuid() };
    expect((await patch(foreign)).json()).toMatchObject({ code: 'does_not_exist', attr: 'set_current_organization' });
  });
});
