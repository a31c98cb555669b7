import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AccountsApp, PASSWORD, startAccountsApp } from '../../testing/accounts-app.js';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1';
const EMAIL = 'ann@example.com';

let it: AccountsApp;
let first: { cookie: string };
let second: { cookie: string };
beforeAll(async () => {
  it = await startAccountsApp();
  await it.invite(EMAIL);
});
afterAll(() => it.close());
beforeEach(async () => {
  await it.deps.db.deleteFrom('login_sessions').execute();
  first = await logIn(CHROME);
  it.advance(60_000);
  second = await logIn(PHONE);
});

async function logIn(userAgent: string): Promise<{ cookie: string }> {
  const answer = await it.call({}, 'POST', '/api/login/', { email: EMAIL, password: PASSWORD }, { 'user-agent': userAgent });
  return { cookie: `tidemark_session=${answer.cookies[0]?.value}` };
}

const url = '/api/users/@me/sessions/';
const list = async (by: { cookie: string }, userAgent = CHROME) =>
  (await it.call(by, 'GET', url, undefined, { 'user-agent': userAgent })).json();
const isLoggedIn = async (by: { cookie: string }) => (await it.call(by, 'GET', '/api/users/@me/')).statusCode === 200;

test('sessions are listed with device, address and times; the one of the request is marked', async () => {
  const sessions = await list(second, PHONE);
  expect(sessions).toEqual([
    {
      id: expect.any(String),
      device: 'Safari on iPhone',
      user_agent: PHONE,
      address: '127.0.0.1',
      created_at: expect.any(String),
      last_used_at: sessions[0].created_at,
      expires_at: expect.any(String),
      is_current: true,
    },
    expect.objectContaining({ device: 'Chrome on Linux', is_current: false }),
  ]);
  it.advance(3_600_000);
  const later = await list(first);
  expect(later.map((one: { is_current: boolean }) => one.is_current)).toEqual([true, false]);
  expect(Date.parse(later[0].last_used_at) - Date.parse(later[0].created_at)).toBeGreaterThan(3_600_000);
  expect(JSON.stringify(later)).not.toContain(first.cookie.split('=')[1]);
});

test.each([
  [
    'Chrome on Linux',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36',
  ],
  ['Chrome on iPhone', PHONE.replace('Version/18.0', 'CriOS/131.0.6778.73')],
  ['Edge on Windows', CHROME.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64').concat(' Edg/130.0.0.0')],
  ['Opera on Android', CHROME.replace('X11; Linux x86_64', 'Linux; Android 14; Pixel 8').concat(' OPR/84.0.0.0')],
  [
    'Samsung Internet on Android',
    CHROME.replace('X11; Linux x86_64', 'Linux; Android 14; SM-S911B').replace('Chrome', 'SamsungBrowser/27.0 Chrome'),
  ],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'],
  [
    'Safari on macOS',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  ],
  ['iPhone', PHONE.replace('Version/18.0', 'Mail/16.0')],
  ['curl', 'curl/8.11.0'],
  ['Unknown device', 'Something/1.0'],
])('a session is named %s', async (device, userAgent) => {
  const { cookie } = await logIn(userAgent);
  expect((await list({ cookie }, userAgent)).find((one: { is_current: boolean }) => one.is_current)).toMatchObject({ device });
});

test('a session that is ended opens nothing from then on', async () => {
  const other = (await list(first)).find((one: { is_current: boolean }) => !one.is_current);
  // so that there is a cached response
  expect((await it.call(second, 'GET', '/api/projects/@current/dashboards/')).statusCode).toBe(200);
  expect((await it.call(first, 'DELETE', `${url}${other.id}/`)).statusCode).toBe(204);
  expect((await it.call(second, 'GET', '/api/projects/@current/dashboards/')).statusCode).toBe(401);
  expect([await isLoggedIn(first), await isLoggedIn(second)]).toEqual([true, false]);
  expect((await it.call(first, 'DELETE', `${url}${other.id}/`)).statusCode).toBe(404);
});

test('ending the session of the request deletes its cookie', async () => {
  const own = (await list(first)).find((one: { is_current: boolean }) => one.is_current);
  const answer = await it.call(first, 'DELETE', `${url}${own.id}/`);
  expect([answer.statusCode, answer.cookies[0]?.value]).toEqual([204, '']);
  expect(await isLoggedIn(first)).toBe(false);
});

test('all others end together', async () => {
  const third = await logIn('curl/8');
  expect((await it.call(first, 'POST', `${url}end_others/`)).json()).toEqual({ ended: 2 });
  expect([await isLoggedIn(first), await isLoggedIn(second), await isLoggedIn(third)]).toEqual([true, false, false]);
  expect(await list(first)).toHaveLength(1);
});

test('keys, other users and other sites end nothing', async () => {
  const [{ id }] = await list(first);
  const key = (await it.makeKey(first.cookie, {})).key;
  const owner = await it.logIn('owner@example.com');
  const theirs = await it.call(owner, 'GET', '/api/users/@me/');
  const refusals = [
    [403, { key }, 'GET', url],
    [403, { key }, 'DELETE', `${url}${id}/`],
    [404, owner, 'DELETE', `${url}${id}/`],
    [404, first, 'GET', `/api/users/${theirs.json().uuid}/sessions/`],
    [404, first, 'DELETE', `${url}nonsense/`],
    [401, {}, 'GET', url],
  ] as const;
  for (const [status, by, method, path] of refusals) expect((await it.call(by, method, path)).statusCode).toBe(status);
  const crossSite = await it.call(first, 'POST', `${url}end_others/`, undefined, { origin: 'https://evil.example' });
  expect(crossSite.statusCode).toBe(403);
  expect(await isLoggedIn(second)).toBe(true);
});
