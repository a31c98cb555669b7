import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountsApp, PASSWORD, startAccountsApp } from '../testing/accounts-app.js';

let it: AccountsApp;
beforeAll(async () => {
  it = await startAccountsApp();
});
afterAll(() => it.close());

const error = (type: string, code: string, detail: string) => ({ type, code, detail, attr: null });
const failed = (where: string) =>
  error('authentication_error', 'authentication_failed', `Personal API key found in request ${where} is invalid.`);
const denied = (detail: string) => error('authentication_error', 'permission_denied', detail);
const missing = error('authentication_error', 'not_authenticated', 'Authentication credentials were not provided.');

describe('credentials', () => {
  test('without any: 401 with a challenge', async () => {
    const answer = await it.call({}, 'GET', '/api/users/@me/');
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.json()).toEqual(missing);
  });

  test.each([
    ['Bearer   KEY  ', 200],
    ['bearer KEY', 401],
    ['Token KEY', 401],
    ['Bearer', 401],
    ['Bearer KEYx', 401],
  ])('header %s: %i', async (header, status) => {
    const answer = await it.call({}, 'GET', '/api/users/@me', undefined, {
      authorization: header.replace('KEY', it.owner.key),
    });
    expect(answer.statusCode).toBe(status);
    if (status === 401) expect(answer.json()).toEqual(header.endsWith('x') ? failed('Authorization header') : missing);
  });

  test('the first credential decides: header, body, query, and no session after an invalid key', async () => {
    const { key, cookie } = it.owner;
    const bad = { authorization: 'Bearer tms_wrong' };
    const url = `/api/users/@me/?personal_api_key=${key}`;
    expect((await it.call({ cookie }, 'PATCH', url, { personal_api_key: key }, bad)).json()).toEqual(
      failed('Authorization header'),
    );
    expect((await it.call({ cookie }, 'PATCH', url, { personal_api_key: 'tms_wrong' })).json()).toEqual(failed('body'));
    expect((await it.call({ cookie }, 'PATCH', url, { personal_api_key: 7 })).json()).toEqual(failed('body'));
    expect((await it.call({ cookie }, 'GET', '/api/users/@me/?personal_api_key=no')).json()).toEqual(failed('query string'));
    expect((await it.call({}, 'PATCH', '/api/users/@me/', { personal_api_key: key })).statusCode).toBe(200);
    expect((await it.call({}, 'GET', url)).statusCode).toBe(200);
    expect((await it.call({}, 'GET', url, undefined, { authorization: 'Token x' })).statusCode).toBe(200);
  });

  test('a key in a form body is used, and a body that cannot be parsed has none', async () => {
    const form = `personal_api_key=${it.owner.key}&first_name=Form`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await it.call({}, 'PATCH', '/api/users/@me/', form, type)).json().first_name).toBe('Form');
    expect((await it.call({}, 'PATCH', '/api/users/@me/', '{"personal')).json()).toEqual(missing);
    const known = await it.call({ key: it.owner.key }, 'PATCH', '/api/users/@me/', '{"personal');
    expect(known.statusCode).toBe(400);
    expect(known.json().code).toBe('parse_error');
  });

  test('without credentials a long body is not read for a key', async () => {
    const body = (length: number) => ({ personal_api_key: it.owner.key, first_name: 'Long', more: 'x'.repeat(length) });
    expect((await it.call({}, 'PATCH', '/api/users/@me/', body(200_000))).statusCode).toBe(200);
    expect((await it.call({}, 'PATCH', '/api/users/@me/', body(300_000))).json()).toEqual(missing);
    expect((await it.call({ cookie: it.owner.cookie }, 'PATCH', '/api/users/@me/', body(300_000))).statusCode).toBe(200);
  });

  test('a project key is not a personal key', async () => {
    const { api_token } = (await it.call(it.owner, 'GET', '/api/projects/@current/')).json();
    expect((await it.call({ key: api_token }, 'GET', '/api/projects/')).json()).toEqual(failed('Authorization header'));
  });

  test('the last use of a key is stored once an hour', async () => {
    const key = await it.makeKey(it.owner.cookie, {});
    const lastUsed = async () => (await it.call(key, 'GET', '/api/personal_api_keys/@current/')).json().last_used_at;
    const first = await lastUsed();
    expect(first).not.toBeNull();
    it.advance(59 * 60_000);
    expect(await lastUsed()).toBe(first);
    it.advance(2 * 60_000);
    expect(await lastUsed()).not.toBe(first);
  });
});

describe('log-in sessions', () => {
  test('the cookie is HttpOnly, and Secure for requests over https', async () => {
    const answer = await it.call({}, 'POST', '/api/login/', {
      email: 'OWNER@example.com',
      password: 'a long and strong passphrase 42',
    });
    expect(answer.headers['set-cookie']).toMatch(
      /^tidemark_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test('a session expires 30 days after its last use', async () => {
    const session = await it.logIn('owner@example.com');
    it.advance(20 * 86_400_000);
    const used = await it.call(session, 'GET', '/api/users/@me/');
    expect(used.statusCode).toBe(200);
    expect(used.headers['set-cookie']).toContain('Max-Age=2592000');
    it.advance(20 * 86_400_000);
    expect((await it.call(session, 'GET', '/api/users/@me/')).statusCode).toBe(200);
    it.advance(31 * 86_400_000);
    expect((await it.call(session, 'GET', '/api/users/@me/')).statusCode).toBe(401);
  });

  test('a session ends with the log-out', async () => {
    for (const [method, url, status] of [
      ['POST', '/logout', 204],
      ['POST', '/logout/', 303],
      ['POST', '/api/logout/', 204],
    ] as const) {
      const session = await it.logIn('owner@example.com');
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await it.call(session, method, url, status === 303 ? '' : undefined, status === 303 ? form : {});
      expect([answer.statusCode, answer.headers.location]).toEqual([status, status === 303 ? '/login' : undefined]);
      expect((await it.call(session, 'GET', '/api/users/@me/')).statusCode).toBe(401);
    }
  });

  test('a session survives a link of another site to the log-out page', async () => {
    const session = await it.logIn('owner@example.com');
    const foreign = { referer: 'https://evil.example/', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    const page = await it.call(session, 'GET', '/logout/', undefined, foreign);
    expect([page.statusCode, page.headers['content-type'], page.headers['set-cookie']]).toEqual([
      200,
      'text/html; charset=utf-8',
      undefined,
    ]);
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(page.body).toContain('<form method="post"');
    for (const url of ['/logout/', '/api/logout/']) {
      expect((await it.call(session, 'POST', url, undefined, { origin: 'https://evil.example' })).statusCode).toBe(403);
    }
    expect((await it.call(session, 'GET', '/api/users/@me/')).statusCode).toBe(200);
  });

  test.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost:81' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'http://localhost:80', 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'http://localhost:80', 'sec-fetch-site': 'same-origin' }, 200],
    [{}, 200],
  ])('a write with %j: %i', async (headers, status) => {
    const session = await it.logIn('owner@example.com');
    const write = await it.call(session, 'PATCH', '/api/users/@me/', { last_name: 'x' }, headers);
    expect(write.statusCode).toBe(status);
    if (status === 403) expect(write.json()).toMatchObject({ type: 'authentication_error', code: 'permission_denied' });
    expect((await it.call(session, 'GET', '/api/users/@me/', undefined, headers)).statusCode).toBe(200);
    expect((await it.call({ key: it.owner.key }, 'PATCH', '/api/users/@me/', {}, headers)).statusCode).toBe(200);
  });
});

describe('scopes and limits of keys', () => {
  test('the scope is checked before the project, and write includes read', async () => {
    const { cookie } = await it.logIn('owner@example.com');
    const reader = await it.makeKey(cookie, { scopes: ['project:read'] });
    const writer = await it.makeKey(cookie, { scopes: ['project:write'] });
    const stranger = await it.makeKey(cookie, { scopes: ['dashboard:write'] });
    const lacking = denied("API key missing required scope 'project:write'");
    expect((await it.call(reader, 'PATCH', '/api/projects/999999/', { name: '' })).json()).toEqual(lacking);
    expect((await it.call(reader, 'GET', '/api/projects/@current/')).statusCode).toBe(200);
    expect((await it.call(writer, 'GET', '/api/projects/@current/')).statusCode).toBe(200);
    expect((await it.call(stranger, 'GET', '/api/projects/')).json()).toEqual(
      denied("API key missing required scope 'project:read'"),
    );
    expect((await it.call(stranger, 'GET', '/api/personal_api_keys/')).json()).toEqual(
      denied('This action does not support personal API key access'),
    );
  });

  test('a key limited to projects', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map(async (name) => (await it.call(it.owner, 'POST', '/api/projects/', { name })).json().id),
    );
    const key = await it.makeKey((await it.logIn('owner@example.com')).cookie, { scoped_teams: [one] });
    expect((await it.call(key, 'GET', `/api/projects/${one}/`)).statusCode).toBe(200);
    expect((await it.call(key, 'GET', `/api/environments/${two}/`)).json()).toEqual(
      denied(`API key does not have access to the requested project: ID ${two}.`),
    );
    for (const url of [
      '/api/projects/',
      '/api/organizations/',
      '/api/organizations/@current/',
      '/api/organizations/@current/members/',
    ]) {
      expect((await it.call(key, 'GET', url)).json()).toEqual(
        denied('API keys with scoped projects are only supported on project-based endpoints.'),
      );
    }
    expect((await it.call(key, 'GET', '/api/users/@me/')).statusCode).toBe(200);
    expect((await it.call(key, 'GET', '/api/personal_api_keys/@current/')).statusCode).toBe(200);
    expect((await it.call(key, 'GET', '/api/projects/999999/')).json().detail).toBe('Project not found.');
  });

  test('a key limited to organizations', async () => {
    const own = (await it.call(it.owner, 'GET', '/api/organizations/@current/')).json();
    const other = (await it.call(it.owner, 'POST', '/api/organizations/', { name: 'Other' })).json();
    const key = await it.makeKey((await it.logIn('owner@example.com')).cookie, {
      scoped_organizations: [own.id.replaceAll('-', '')],
    });
    const refusal = denied(`API key does not have access to the requested organization: ID ${other.id}.`);
    expect((await it.call(key, 'GET', `/api/organizations/${other.id}/members/`)).json()).toEqual(refusal);
    expect((await it.call(key, 'GET', `/api/projects/${other.teams[0].id}/`)).json()).toEqual(refusal);
    const itself = await it.call(key, 'GET', `/api/organizations/${other.id}/`);
    expect([itself.statusCode, itself.json().detail]).toEqual([404, 'Not found.']);
    const list = (await it.call(key, 'GET', '/api/organizations/')).json();
    expect(list.results.map((one: { id: string }) => one.id)).toEqual([own.id]);
    expect((await it.call(key, 'GET', `/api/organizations/${own.id}/`)).statusCode).toBe(200);
  });
});

describe('paths and methods', () => {
  test('projects of other organizations get the same response as those that do not exist', async () => {
    const fresh = await startAccountsApp({ openSignup: true });
    try {
      const stranger = { email: 'stranger@example.com', first_name: 'S', password: PASSWORD };
      const signedUp = await fresh.call({}, 'POST', '/api/signup/', stranger);
      const cookie = signedUp.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      const theirs = (await fresh.call({ cookie }, 'GET', '/api/projects/@current/')).json().id;
      const own = (await fresh.call(fresh.owner, 'GET', '/api/projects/@current/')).json().id;
      const callers = [
        fresh.owner,
        await fresh.makeKey(fresh.owner.cookie, {}),
        await fresh.makeKey(fresh.owner.cookie, { scoped_teams: [own] }),
      ];
      for (const caller of callers) {
        for (const [method, path] of [
          ['GET', ''],
          ['PATCH', ''],
          ['GET', 'dashboards/'],
          ['POST', 'query/'],
          ['GET', 'explicit_members/'],
        ] as const) {
          const answers = await Promise.all(
            [theirs, 999_999].map((id) =>
              fresh.call(caller, method, `/api/projects/${id}/${path}`, method === 'GET' ? undefined : {}),
            ),
          );
          const [foreign, missing] = answers.map(({ statusCode, body }) => ({ statusCode, body }));
          expect({ method, path, ...foreign }).toEqual({ method, path, ...missing });
          expect(foreign?.statusCode).toBe(404);
        }
      }
    } finally {
      await fresh.close();
    }
  });

  test('unknown paths, unknown projects and other methods', async () => {
    const unknown = await it.call({}, 'GET', '/api/nothing/here/');
    expect([unknown.statusCode, unknown.json()]).toEqual([404, error('invalid_request', 'not_found', 'Endpoint not found.')]);
    for (const id of ['999999', 'abc', '1e3', '-1', '99999999999999', '%00', '@other']) {
      const answer = await it.call(it.owner, 'GET', `/api/projects/${id}/`);
      expect([answer.statusCode, answer.json()]).toEqual([404, error('invalid_request', 'not_found', 'Project not found.')]);
    }
    const method = await it.call(it.owner, 'PUT', '/api/projects/@current');
    expect([method.statusCode, method.json()]).toEqual([
      405,
      error('invalid_request', 'method_not_allowed', 'Method "PUT" not allowed.'),
    ]);
    expect((await it.call({}, 'PUT', '/api/projects/@current/')).statusCode).toBe(401);
    expect((await it.call({}, 'GET', '/api/projects/@current/')).statusCode).toBe(401);
    expect((await it.call(it.owner, 'PUT', '/api/projects/999999/')).statusCode).toBe(404);
    expect((await it.call({}, 'PATCH', '/api/login/', {})).json().detail).toBe('Method "PATCH" not allowed.');
  });

  test('responses are private to the caller for proxies', async () => {
    const privateHeaders = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' };
    for (const caller of [it.owner, { cookie: it.owner.cookie }, { key: 'tms_wrong' }]) {
      expect((await it.call(caller, 'GET', '/api/projects/')).headers).toMatchObject(privateHeaders);
      expect((await it.call(caller, 'PATCH', '/api/users/@me/', {})).headers).toMatchObject(privateHeaders);
    }
    const login = { email: 'owner@example.com', password: 'a long and strong passphrase 42' };
    expect((await it.call({}, 'POST', '/api/login/', login)).headers).toMatchObject(privateHeaders);
  });

  test('pages of other origins may send requests with a key', async () => {
    const leave = await it.call({}, 'OPTIONS', '/api/projects/1/', undefined, {
      origin: 'https://else.example',
      'access-control-request-headers': 'authorization',
    });
    expect(leave.statusCode).toBe(204);
    expect(leave.headers['access-control-allow-origin']).toBe('*');
    expect(leave.headers['access-control-allow-headers']).toBe('authorization');
    expect((await it.call({}, 'GET', '/api/projects/')).headers['access-control-allow-origin']).toBe('*');
  });
});
