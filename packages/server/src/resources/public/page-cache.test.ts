import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lastDays } from '../../testing/public-dashboards.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let project: string;
let board: number;
let insight: number;
let path: string;
let token: string;
beforeAll(async () => {
  it = await startTestService();
  project = `/api/projects/${it.projectId}`;
});
afterAll(() => it.close());

const QUERY = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'signed_up' }],
  dateRange: { date_from: '-7d' },
  trendsFilter: { display: 'ActionsTable' },
};

beforeEach(async () => {
  // each test has a minute of its own, and results of its own
  it.clock.advance(6 * 60_000);
  board = (await api('POST', 'dashboards/', { name: 'Growth' })).id;
  insight = (await api('POST', 'insights/', { name: 'Sign-ups', query: QUERY, dashboards: [board] })).id;
  await api('PATCH', `dashboards/${board}/`, { tiles: [{ text: { body: 'Our *remarks*' } }] });
  path = `dashboards/${board}/sharing/`;
  token = (await api('PATCH', path, { enabled: true, settings: { dateRange: true } })).access_token;
});

async function api(method: 'GET' | 'POST' | 'PATCH' | 'PUT', to: string, body?: object) {
  const answer = await it.call(method, to.startsWith('/') ? to : `${project}/${to}`, { body });
  expect([answer.statusCode < 300, answer.body]).toEqual([true, answer.body]);
  return answer.json();
}
const visit = (query = '', headers: Record<string, string> = {}) => it.app.inject({ url: `/shared/${token}${query}`, headers });
const nonceOf = (body: string) => /<style nonce="([\w-]+)">/.exec(body)?.[1] ?? '';
const withoutNonce = (body: string) => body.replaceAll(nonceOf(body), '');
/** How many pages were sent as they were finished before. */
const hits = () => it.deps.services.caches.stats().find(({ name }) => name === 'public_pages')?.hits ?? 0;

/** Lets the page be cached, and proves that it is. */
async function visitTwice(query = ''): Promise<string> {
  const { body } = await visit(query);
  const before = hits();
  expect(withoutNonce((await visit(query)).body)).toBe(withoutNonce(body));
  expect(hits()).toBe(before + 1);
  return body;
}

test('a page that was sent before is the same, with a nonce of its own, as it is and compressed', async () => {
  const body = await visitTwice();
  const seen = [nonceOf(body)];
  for (const accepted of ['', 'gzip', 'gzip, deflate, br', '']) {
    const before = hits();
    const { rawPayload, headers } = await visit('', { 'accept-encoding': accepted });
    const text = (accepted ? gunzipSync(rawPayload) : rawPayload).toString();
    expect([headers['content-encoding'], headers['vary'], hits()]).toEqual([
      accepted ? 'gzip' : undefined,
      'Accept-Encoding',
      before + 1,
    ]);
    expect(withoutNonce(text)).toBe(withoutNonce(body));
    expect(headers['content-security-policy']).toContain(`style-src 'nonce-${nonceOf(text)}'`);
    expect(headers['cache-control']).toBe('private, no-store');
    seen.push(nonceOf(text));
  }
  expect(new Set(seen).size).toBe(seen.length);
});

test('its results are five minutes old at most, and its foot says how old they are', async () => {
  const cells = (body: string) => /<tbody>(.*?)<\/tbody>/s.exec(body)?.[1];
  const signUp = async () => {
    const batch = [{ event: 'signed_up', distinct_id: 'ann', properties: {} }];
    const sent = await it.call('POST', '/batch/', { key: null, body: { api_key: it.projectKey, batch } });
    expect(sent.statusCode).toBe(200);
  };
  await signUp();
  const before = await visitTwice();
  expect(before).toContain('>just now</time>');
  await signUp();
  it.clock.advance(3 * 60_000);
  const hitsBefore = hits();
  const { body: aged } = await visit();
  expect([hits() - hitsBefore, cells(aged)]).toEqual([1, cells(before)]);
  expect(aged).toContain('>3 minutes ago</time>');
  it.clock.advance(2 * 60_000);
  const { body: after } = await visit();
  expect(cells(after)).not.toBe(cells(before));
  expect(after).toContain('>just now</time>');
});

test.each<[string, () => Promise<unknown>, (body: string) => boolean]>([
  ['another title', () => api('PATCH', `dashboards/${board}/`, { name: 'Churn' }), (body) => body.includes('<h1>Churn</h1>')],
  [
    'another name of an insight',
    () => api('PATCH', `insights/${insight}/`, { name: 'Joined' }),
    (body) => body.includes('Joined'),
  ],
  [
    'a deleted insight',
    () => api('PATCH', `insights/${insight}/`, { deleted: true }),
    (body) => !body.includes('Sign-ups') && body.includes('<em>remarks</em>'),
  ],
  [
    'another text',
    async () => {
      const { tiles } = await api('GET', `dashboards/${board}/`);
      const { id } = tiles.find(({ text }: { text: object | null }) => text);
      await api('PATCH', `dashboards/${board}/`, { tiles: [{ id, text: { body: 'Changed' } }] });
    },
    (body) => body.includes('Changed') && !body.includes('remarks'),
  ],
  [
    'other filters',
    () => api('PATCH', `dashboards/${board}/`, { filters: { date_from: '-14d' } }),
    (body) => body.includes(lastDays(it, 14)),
  ],
  [
    'another theme',
    () => api('PATCH', path, { settings: { theme: 'dark' } }),
    (body) => body.includes(':root{color-scheme:dark') && !body.includes('Date range'),
  ],
])('%s shows at once', async (_, change, isChanged) => {
  const before = await visitTwice();
  expect(isChanged(before)).toBe(false);
  await change();
  const { body, statusCode } = await visit();
  expect([statusCode, isChanged(body)]).toEqual([200, true]);
});

test('a range and a refresh that visitors choose have pages of their own', async () => {
  const own = await visitTwice();
  const range = await visitTwice('?range=30d');
  const refreshed = await visitTwice('?range=30d&refresh=600');
  expect(new Set([own, range, refreshed].map(withoutNonce)).size).toBe(3);
  expect(range).toContain(lastDays(it, 30));
  expect(withoutNonce((await visit()).body)).toBe(withoutNonce(own));
});

test('a page that is closed, gets a password or another address is not sent again', async () => {
  await visitTwice();
  await api('PATCH', path, { password_required: true });
  await api('POST', `${path}passwords/`, { raw_password: 'correct horse battery', note: '' });
  const locked = await visit();
  expect(locked.body).toContain('type="password"');
  for (const secret of ['Sign-ups', 'remarks', 'Growth']) expect(locked.body).not.toContain(secret);
  const opened = await it.app.inject({
    method: 'POST',
    url: `/shared/${token}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'password=correct+horse+battery',
  });
  const cookie = `tidemark_share=${opened.cookies.find(({ name }) => name === 'tidemark_share')?.value}`;
  expect((await visit('', { cookie })).body).toContain('Sign-ups');
  // a visitor without the cookie does not get the page of another one
  expect((await visit()).body).not.toContain('Sign-ups');
  await api('PATCH', path, { password_required: false });
  await visitTwice();
  await api('PATCH', path, { enabled: false });
  expect((await visit()).statusCode).toBe(404);
  await api('PATCH', path, { enabled: true });
  await visitTwice();
  await api('POST', `${path}refresh/`);
  it.clock.advance(5 * 60_000);
  expect((await visit()).statusCode).toBe(404);
});
