import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let path: string;
let token: string;
beforeAll(async () => {
  it = await startTestService();
  const project = `/api/projects/${it.projectId}`;
  await it.call('PATCH', `${project}/`, { body: { session_recording_opt_in: true, timezone: 'Europe/Berlin' } });
  const at = (ms: number, type: number, data: object) => ({ type, timestamp: it.clock.now() + ms, data });
  await record('s-ann', [
    at(-90_000, 4, { href: 'https://shop.example/cart?email=ann@example.com#top' }),
    at(-80_000, 3, { source: 2, type: 2 }),
    at(-10_000, 3, { source: 0, text: 'what ann wrote' }),
  ]);
  path = `${project}/session_recordings/s-ann/`;
  token = (await it.call('GET', `${path}sharing/`)).json().access_token;
});
afterAll(() => it.close());

async function record($session_id: string, $snapshot_data: object[], $snapshot_source = 'web'): Promise<void> {
  const properties = {
    $snapshot_data,
    $session_id,
    $snapshot_source,
    $window_id: 'w',
    token: it.projectKey,
    distinct_id: 'ann-77',
  };
  const payload = JSON.stringify([{ event: '$snapshot', properties }]);
  const sent = await it.app.inject({ method: 'POST', url: '/s/', payload });
  expect(sent.json()).toEqual({ status: 'Ok' });
}

const visit = (url: string) => it.app.inject({ url });
const enable = (enabled: boolean) => it.call('PATCH', `${path}sharing/`, { body: { enabled } });

test('a shared recording shows the session, and nothing about the person', async () => {
  expect((await visit(`/shared/${token}`)).statusCode).toBe(404);
  expect((await enable(true)).statusCode).toBe(200);
  const page = await visit(`/shared/${token}`);
  expect(page.statusCode).toBe(200);
  expect(page.body).toMatch(/<h1>Session of \d+ \w+ \d{4}, 1m 20s, 1 click<\/h1>/);
  expect((await visit(`/shared/${token}/player`)).body).toMatch(/<title>Session of \d+ \w+ \d{4}, 1m 20s, 1 click<\/title>/);
  for (const [about, value] of [
    ['Lasted', '1m 20s'],
    ['First page', 'https://shop.example/cart'],
    ['Clicks', '1'],
    ['Errors in the console', '0'],
  ]) {
    expect(page.body).toContain(`<dt>${about}</dt><dd>${value}</dd>`);
  }
  expect(page.body).toMatch(/<dt>Began<\/dt><dd>\d+ \w+ \d{4}, \d\d:\d\d \(Europe\/Berlin\)<\/dd>/);
  const embedded = await visit(`/embedded/${token}`);
  const json = await visit(`/shared/${token}.json`);
  expect(json.json().tiles).toMatchObject([{ name: expect.stringMatching(/^Session of .* 1 click$/), result: { kind: 'rows' } }]);
  const png = await visit(`/shared/${token}.png`);
  expect([embedded.statusCode, png.statusCode, png.headers['content-type']]).toEqual([200, 200, 'image/png']);
  for (const { body } of [page, embedded, json]) expect(body).not.toMatch(/ann|email|s-ann|wrote/);
});

test('a shared recording of an app shows the first screen and the touches', async () => {
  const at = (ms: number, type: number, data: object) => ({ type, timestamp: it.clock.now() + ms, data });
  const touch = { source: 2, pointerType: 2, x: 1, y: 1 };
  const screen = at(-9000, 4, { href: 'CartScreen?user=ann', width: 390, height: 844 });
  await record('s-app', [screen, at(-8000, 3, { ...touch, type: 7 }), at(-7900, 3, { ...touch, type: 9 })], 'mobile');
  const sharing = await it.call('PATCH', `/api/projects/${it.projectId}/session_recordings/s-app/sharing/`, {
    body: { enabled: true },
  });
  const { body } = await visit(`/shared/${sharing.json().access_token}`);
  for (const row of ['<dt>First page</dt><dd>CartScreen</dd>', '<dt>Clicks</dt><dd>1</dd>']) expect(body).toContain(row);
});

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
const BLOCKS = '?source=blob_v2&start_blob_key=0&end_blob_key=0';

test('the page has a player, whose document may load images and styles from anywhere, and only our script', async () => {
  const page = await visit(`/shared/${token}`);
  expect(page.body).toContain(`<iframe class="player" src="/shared/${token}/player"`);
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'nonce-[^']+'; font-src 'self'; frame-src 'self'; img-src 'self' data:;/,
  );
  for (const [path, framing] of [
    ['shared', "'self'"],
    ['embedded', '*'],
  ]) {
    const { statusCode, headers, body } = await visit(`/${path}/${token}/player`);
    const nonce = /<script type="module" nonce="([^"]+)" src="\/static\/player.js">/.exec(body)?.[1];
    expect([statusCode, typeof nonce]).toEqual([200, 'string']);
    expect(body).toContain(`data-snapshots="/shared/${token}/snapshots"`);
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'unsafe-inline' https: http:; img-src https: http: data: blob:; font-src https: http: data: blob:; media-src https: http: data: blob:; connect-src 'self'; frame-src 'none'; object-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors ${framing}`,
    );
    expect(headers['x-frame-options']).toBe(path === 'shared' ? 'SAMEORIGIN' : undefined);
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'private, no-store' });
  }
  expect((await visit(`/embedded/${token}`)).body).toContain(`src="/embedded/${token}/player"`);
});

test('snapshots are returned in blocks, as lines of JSON', async () => {
  const list = await visit(`/shared/${token}/snapshots`);
  const { sources } = list.json();
  expect([list.statusCode, sources]).toMatchObject([200, [{ source: 'blob_v2', blob_key: '0' }]]);
  const { statusCode, headers, body } = await visit(`/shared/${token}/snapshots${BLOCKS}`);
  expect(statusCode).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'application/jsonl; charset=utf-8',
    'cache-control': 'private, no-store',
    'content-security-policy':
      "default-src 'none'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-robots-tag': 'noindex, nofollow, noarchive',
    'x-content-type-options': 'nosniff',
  });
  expect(lines(body)).toMatchObject([
    ['w', { type: 4 }],
    ['w', { type: 3, data: { source: 2 } }],
    ['w', { type: 3, data: { text: 'what ann wrote' } }],
  ]);
});

test.each([
  ['?source=blob_v2', 400],
  ['?source=blob_v2&start_blob_key=0&end_blob_key=20', 400],
  ['?source=blob_v2&start_blob_key=x', 400],
  ['?source=blob_v2&start_blob_key=1', 404],
  ['?source=files', 400],
])('snapshots%s are refused with the error of public pages', async (query, status) => {
  const { statusCode, headers } = await visit(`/shared/${token}/snapshots${query}`);
  expect([statusCode, headers['cache-control']]).toEqual([status, 'private, no-store']);
});

test('a token opens only its recording, and a dashboard has neither player nor snapshots', async () => {
  const other = `/api/projects/${it.projectId}/session_recordings/s-bob/sharing/`;
  await record('s-bob', [{ type: 3, timestamp: it.clock.now(), data: { source: 0, text: 'what bob wrote' } }]);
  const { access_token } = (await it.call('PATCH', other, { body: { enabled: true } })).json();
  const theirs = await visit(`/shared/${access_token}/snapshots${BLOCKS}`);
  expect(theirs.body).toContain('what bob wrote');
  for (const more of ['', '&id=s-bob', '&session_id=s-bob'])
    expect((await visit(`/shared/${token}/snapshots${BLOCKS}${more}`)).body).not.toContain('bob');

  const board = (await it.call('POST', `/api/projects/${it.projectId}/dashboards/`, { body: { name: 'Board' } })).json();
  const sharing = `/api/projects/${it.projectId}/dashboards/${board.id}/sharing/`;
  const open = (await it.call('PATCH', sharing, { body: { enabled: true } })).json();
  expect((await visit(`/shared/${open.access_token}`)).statusCode).toBe(200);
  for (const path of ['shared', 'embedded']) expect((await visit(`/${path}/${open.access_token}/player`)).statusCode).toBe(404);
  expect((await visit(`/shared/${open.access_token}/snapshots`)).statusCode).toBe(404);
});

/** What the player and its data answer. */
const below = async (access: string, headers: Record<string, string> = {}) => {
  const urls = ['/player', '/snapshots', `/snapshots${BLOCKS}`].map((path) => `/shared/${access}${path}`);
  const answers = await Promise.all([...urls, `/embedded/${access}/player`].map((url) => it.app.inject({ url, headers })));
  return answers.map(({ statusCode }) => statusCode);
};

test('player and snapshots need the password of the page, and accept its cookie', async () => {
  await it.call('PATCH', `${path}sharing/`, { body: { password_required: true } });
  await it.call('POST', `${path}sharing/passwords/`, { body: { raw_password: 'correct horse battery' } });
  expect(await below(token)).toEqual([200, 401, 401, 401]);
  const locked = await visit(`/shared/${token}/player`);
  expect(locked.body).not.toContain('data-snapshots');
  const payload = 'password=correct+horse+battery';
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const given = await it.app.inject({ method: 'POST', url: `/shared/${token}`, headers: type, payload });
  const cookies = [given.headers['set-cookie'] ?? []].flat();
  // paths count up to a slash: the cookie of the page is that of what lies below it
  const cookie = cookies.find((one) => one.includes(`Path=/shared/${token};`))?.split(';')[0] ?? '';
  expect(await below(token, { cookie })).toEqual([200, 200, 200, 200]);
  expect((await it.app.inject({ url: `/shared/${token}/player`, headers: { cookie } })).body).toContain('data-snapshots');
  await it.call('PATCH', `${path}sharing/`, { body: { password_required: false } });
});

test('the earlier address works for five minutes, and does not reveal the new one', async () => {
  const { access_token: fresh } = (await it.call('POST', `${path}sharing/refresh/`)).json();
  const page = await visit(`/shared/${token}`);
  const player = await visit(`/shared/${token}/player`);
  expect([page.statusCode, player.statusCode]).toEqual([200, 200]);
  expect(page.body + player.body).not.toContain(fresh);
  it.clock.advance(5 * 60_000 + 1_000);
  expect(await below(token)).toEqual([404, 404, 404, 404]);
  expect(await below(fresh)).toEqual([200, 200, 200, 200]);
  token = fresh;
});

test('too many requests get a 429, as for the page', async () => {
  it.clock.advance(61_000);
  for (let count = 0; count < 60; count++) await visit(`/shared/${token}/snapshots`);
  const { statusCode, headers } = await visit(`/shared/${token}/snapshots`);
  expect([statusCode, Number(headers['retry-after']) > 0]).toEqual([429, true]);
  expect((await visit(`/shared/${token}`)).statusCode).toBe(429);
  it.clock.advance(61_000);
});

test('the page is gone after sharing is disabled or the recording deleted', async () => {
  await enable(false);
  expect((await visit(`/shared/${token}`)).statusCode).toBe(404);
  await enable(true);
  expect((await visit(`/shared/${token}`)).statusCode).toBe(200);
  expect(await below(token)).toEqual([200, 200, 200, 200]);
  await enable(false);
  expect(await below(token)).toEqual([404, 404, 404, 404]);
  await enable(true);
  expect((await it.call('DELETE', path)).statusCode).toBe(204);
  expect((await visit(`/shared/${token}`)).statusCode).toBe(404);
  expect(await below(token)).toEqual([404, 404, 404, 404]);
  expect(await below('unknown')).toEqual([404, 404, 404, 404]);
});
