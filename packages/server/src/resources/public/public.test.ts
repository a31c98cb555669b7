import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lastDays, type PublicDashboards, SIGN_UPS, signUp, startPublicDashboards } from '../../testing/public-dashboards.js';
import { OWNER_EMAIL, OWNER_PASSWORD, type TestService } from '../../testing/service.js';

let app: PublicDashboards;
let it: TestService;
let project: string;
let board: number;
let path: string;
let token: string;
beforeAll(async () => {
  app = await startPublicDashboards();
  it = app.it;
  project = app.project;
});
afterAll(() => it.close());

/** The secrets of a dashboard: nothing of these may be seen outside. */
const HIDDEN = ['secret-tag', 'hidden-filter', OWNER_EMAIL, 'ann@example.com'];

beforeEach(async () => {
  // each test has a minute of its own
  it.clock.advance(61_000);
  board = (await api('POST', 'dashboards/', { name: 'Numbers <b>', description: 'For "you"', tags: ['secret-tag'] })).id;
  await insight('Sign-ups', SIGN_UPS);
  await insight('People', { kind: 'EventsQuery', select: ['event', 'distinct_id'] });
  await insight('Broken', { kind: 'TrendsQuery', series: [] });
  const texts = [
    { text: { body: '# Hello\n\n<script>alert(1)</script> [site](https://example.org) [bad](javascript:alert(1))' } },
  ];
  await api('PATCH', `dashboards/${board}/`, { tiles: texts });
  path = `dashboards/${board}/sharing/`;
  token = (await api('PATCH', path, { enabled: true })).access_token;
});

const { api, send, visit }: Pick<PublicDashboards, 'api' | 'send' | 'visit'> = {
  api: (...call) => app.api(...call),
  send: (batch) => app.send(batch),
  visit: (...page) => app.visit(...page),
};
const insight = (name: string, query: object) => api('POST', 'insights/', { name, query, dashboards: [board] });
const give = (password: string, headers: Record<string, string> = {}) =>
  it.app.inject({
    method: 'POST',
    url: `/shared/${token}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ password }).toString(),
  });
const protect = async (raw_password = 'correct horse battery') => {
  await api('PATCH', path, { password_required: true });
  return api('POST', `${path}passwords/`, { raw_password, note: 'x' });
};

describe('the page', () => {
  test('shows its tiles without any script, and nothing else of the project', async () => {
    await insight('Ways', { kind: 'PathsQuery', pathsFilter: { includeEventTypes: ['$pageview'] } });
    const { statusCode, body, headers } = await visit(`/shared/${token}`);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('<h1>Numbers &lt;b&gt;</h1>');
    expect(body).toContain('For &quot;you&quot;');
    expect(body).toMatch(/<svg class="v326" role="img" aria-label="Sign-ups: chart/);
    expect(body).toContain(lastDays(it, 7));
    expect(body).toContain('<h2>Hello</h2>');
    expect(body).toContain('&lt;script&gt;alert(1)');
    expect(body).toContain('<a href="https://example.org" rel="noopener nofollow">site</a> bad');
    expect(body).toContain('Lists of people and events are not shown on public pages.');
    expect(body).toContain('This chart has an error.');
    expect(body).toContain('<b>No paths in this period</b>');
    expect(body).not.toMatch(
      /<script(?! type="module" nonce="[\w-]+" src="\/static\/charts-\w+\.js"><\/script>)|javascript:| style="|\son\w+="/i,
    );
    for (const secret of HIDDEN) expect(body).not.toContain(secret);
  });

  test('keeps its address to itself, runs nothing, and may be framed by its own server alone', async () => {
    const { headers, body } = await visit(`/shared/${token}`);
    const nonce = /<style nonce="([\w-]+)">/.exec(body)?.[1];
    expect(headers).toMatchObject({
      'cache-control': 'private, no-store',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; font-src 'self';${body.includes('<script') ? ` script-src 'nonce-${nonce}';` : ''} img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'self'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'x-robots-tag': 'noindex, nofollow, noarchive',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).not.toHaveProperty('set-cookie');
    expect((await visit(`/shared/${token}`)).body).not.toContain(`"${nonce}"`);
  });

  test('in a frame has no header, and any page may show it', async () => {
    const { headers, body } = await visit(`/embedded/${token}`);
    expect(headers['content-security-policy']).toContain('frame-ancestors *');
    expect(headers).not.toHaveProperty('x-frame-options');
    expect(body).not.toContain('<header>');
    expect(body).toContain('Sign-ups');
  });

  test.each([
    ['events', { kind: 'EventsQuery', select: ['event', 'distinct_id'] }],
    ['events in a table', { kind: 'DataTableNode', source: { kind: 'EventsQuery', select: ['distinct_id'] } }],
    ['people', { kind: 'ActorsQuery', select: ['person'] }],
    ['people behind a chart', { kind: 'ActorsQuery', source: { kind: 'InsightActorsQuery', source: SIGN_UPS } }],
    ['people in a table', { kind: 'DataTableNode', source: { kind: 'ActorsQuery', source: SIGN_UPS } }],
  ])('never lists %s', async (_name, query) => {
    const { id } = await insight('A list', query);
    const { access_token } = await api('PATCH', `insights/${id}/sharing/`, { enabled: true });
    const { tiles } = JSON.parse((await visit(`/shared/${access_token}.json`)).body);
    expect(tiles).toMatchObject([{ result: null, error: 'Lists of people and events are not shown on public pages.' }]);
    const { body } = await visit(`/shared/${access_token}`);
    expect(body).not.toContain('ann@example.com');
  });

  test('behind a proxy with TLS keeps to it', async () => {
    const secure = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'numbers.example' };
    const { headers, body } = await visit(`/shared/${token}`, secure);
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    expect(body).toContain(`content="https://numbers.example/shared/${token}/preview.png"`);
    await protect();
    expect((await give('correct horse battery', secure)).cookies.map((cookie) => cookie.secure)).toEqual([true, true, true]);
  });

  test('is displayed as its settings say, whatever the parameters of its address', async () => {
    const settings = { theme: 'dark', noHeader: true, whitelabel: true, hideExtraDetails: true, detailed: true };
    await api('PATCH', path, { settings });
    const { body } = await visit(`/shared/${token}?theme=light&noHeader=false&whitelabel=false`);
    expect(body).toContain(':root{color-scheme:dark');
    for (const gone of ['<header>', 'Tidemark', 'For &quot;you&quot;', lastDays(it, 7), 'Updated', 'times in'])
      expect(body).not.toContain(gone);
    expect(body).toContain('<details open>');
  });

  test('of an insight shows that alone', async () => {
    const { id } = await insight('Only this', SIGN_UPS);
    const { access_token } = await api('PATCH', `insights/${id}/sharing/`, { enabled: true });
    const { statusCode, body } = await visit(`/shared/${access_token}`);
    expect(statusCode).toBe(200);
    expect(body).toContain('<h1>Only this</h1>');
    expect(body).not.toContain('Sign-ups');
    await api('PATCH', `insights/${id}/`, { deleted: true });
    expect((await visit(`/shared/${access_token}`)).statusCode).toBe(404);
  });

  test('an address of before leads to the same', async () => {
    expect((await visit(`/shared_dashboard/${token}`)).statusCode).toBe(200);
  });
});

describe('beside the page', () => {
  test('its numbers as JSON, without ids, queries or people', async () => {
    const { body, headers } = await visit(`/shared/${token}.json`);
    expect(headers['content-type']).toMatch(/^application\/json/);
    const { tiles, ...rest } = JSON.parse(body);
    expect(rest).toEqual({ type: 'scene', name: 'Numbers <b>', description: 'For "you"' });
    expect(tiles[0]).toEqual({
      name: 'Sign-ups',
      description: '',
      dates: lastDays(it, 7),
      color: null,
      layout: null,
      text: null,
      result: expect.objectContaining({
        kind: 'series',
        series: [expect.objectContaining({ label: 'signed_up', total: expect.any(Number) })],
      }),
      last_refresh: expect.any(String),
      error: null,
    });
    expect(tiles.map(({ error }: { error: string | null }) => error !== null)).toEqual([false, true, true, false]);
    for (const secret of [...HIDDEN, '"id"', 'query', 'short_id']) expect(body).not.toContain(secret);
  });

  test('a picture', async () => {
    const { statusCode, headers, rawPayload } = await visit(`/shared/${token}.png`);
    expect([statusCode, headers['content-type']]).toEqual([200, 'image/png']);
    expect(rawPayload.subarray(1, 4).toString()).toBe('PNG');
    expect((await visit(`/shared/${token}`, { host: 'numbers.example' })).body).toContain(
      `<meta property="og:image" content="http://numbers.example/shared/${token}/preview.png">`,
    );
  });
});

describe('a page that is not there', () => {
  const gone = async (url: string) => {
    const { statusCode, body, headers } = await visit(url);
    const { date, 'content-security-policy': policy, ...otherHeaders } = headers;
    return [statusCode, body.replace(/nonce="[^"]+"/, ''), String(policy).replace(/'nonce-[^']+'/, ''), otherHeaders];
  };

  test('is the same whether it was closed, rotated away, deleted, forbidden or never there', async () => {
    const unknown = await gone(`/shared/${'x'.repeat(30)}`);
    expect(unknown[0]).toBe(404);
    expect(unknown[2]).toContain("frame-ancestors 'none'");
    await api('PATCH', path, { enabled: false });
    for (const url of [`/shared/${token}`, `/shared/${token}.json`, `/shared/${token}.png`, `/embedded/${token}`]) {
      expect(await gone(url)).toEqual(unknown);
    }
    await api('PATCH', path, { enabled: true });
    await api('PATCH', `dashboards/${board}/`, { deleted: true });
    expect(await gone(`/shared/${token}`)).toEqual(unknown);
    await api('PATCH', `dashboards/${board}/`, { deleted: false });
    expect(await gone(`/shared/${token}`)).toEqual(unknown);
    await api('PATCH', path, { enabled: true });
    expect((await visit(`/shared/${token}`)).statusCode).toBe(200);
    const forbid = (allow_publicly_shared_resources: boolean) =>
      it.call('PATCH', '/api/organizations/@current/', { body: { allow_publicly_shared_resources } });
    expect((await forbid(false)).statusCode).toBe(200);
    expect(await gone(`/shared/${token}`)).toEqual(unknown);
    expect((await forbid(true)).statusCode).toBe(200);
    for (const odd of ['%00', '%27or%201=1', 'a%2Fb', '.json', '%F0%9F%98%80'])
      expect(await gone(`/shared/${odd}`)).toEqual(unknown);
  });

  test('its old address works for five more minutes', async () => {
    const { access_token } = await api('POST', `${path}refresh/`);
    expect(access_token).not.toBe(token);
    for (const one of [token, access_token]) expect((await visit(`/shared/${one}`)).statusCode).toBe(200);
    it.clock.advance(5 * 60_000);
    expect((await visit(`/shared/${token}`)).statusCode).toBe(404);
    expect((await visit(`/shared/${access_token}`)).statusCode).toBe(200);
  });
});

describe('a password', () => {
  const cookieOf = (answer: Awaited<ReturnType<typeof give>>) =>
    `tidemark_share=${answer.cookies.find(({ name }) => name === 'tidemark_share')?.value}`;

  test('is required before anything is shown', async () => {
    await protect();
    const { statusCode, body } = await visit(`/shared/${token}`);
    expect(statusCode).toBe(200);
    expect(body).toContain('type="password"');
    for (const gone of ['Numbers', 'Sign-ups', 'Hello', 'og:']) expect(body).not.toContain(gone);
    for (const url of [`/shared/${token}.json`, `/shared/${token}.png`, `/embedded/${token}`]) {
      const refused = await visit(url);
      expect(refused.statusCode).toBe(401);
      expect(refused.body).not.toContain('Numbers');
    }
  });

  test('opens the page for a day, in the browser that gave it, for this page alone', async () => {
    await protect();
    const opened = await give('correct horse battery');
    expect([opened.statusCode, opened.headers.location]).toEqual([303, `/shared/${token}`]);
    expect(opened.cookies.map(({ value: _, ...cookie }) => cookie)).toEqual(
      ['', '.json', '.png'].map((end) => ({
        name: 'tidemark_share',
        path: `/shared/${token}${end}`,
        maxAge: 86_400,
        httpOnly: true,
        sameSite: 'Lax',
      })),
    );
    const cookie = cookieOf(opened);
    for (const end of ['', '.json', '.png']) {
      expect((await visit(`/shared/${token}${end}`, { cookie })).statusCode, end).toBe(200);
    }
    expect((await visit(`/shared/${token}.json`, { cookie: `${cookie.slice(0, -2)}xx` })).statusCode).toBe(401);
    it.clock.advance(24 * 60 * 60_000);
    expect((await visit(`/shared/${token}.json`, { cookie })).statusCode).toBe(401);
  });

  test('lets nobody in once it or the address has changed', async () => {
    const { id } = await protect();
    await protect('another long one');
    const [first, second] = [cookieOf(await give('correct horse battery')), cookieOf(await give('another long one'))];
    await it.call('DELETE', `${project}/${path}passwords/${id}/`);
    expect((await visit(`/shared/${token}.json`, { cookie: first })).statusCode).toBe(401);
    expect((await visit(`/shared/${token}.json`, { cookie: second })).statusCode).toBe(200);
    const { access_token } = await api('POST', `${path}refresh/`);
    for (const one of [token, access_token]) {
      expect((await visit(`/shared/${one}.json`, { cookie: second })).statusCode).toBe(401);
    }
  });

  test('that is wrong is refused, and after five tries there is a pause', async () => {
    await protect();
    for (let i = 0; i < 5; i++) {
      const wrong = await give('wrong');
      expect([wrong.statusCode, wrong.body.includes('That is not the password.')]).toEqual([401, true]);
      expect(wrong.headers).not.toHaveProperty('set-cookie');
    }
    const paused = await give('correct horse battery');
    expect([paused.statusCode, paused.headers['retry-after']]).toEqual([429, '60']);
    it.clock.advance(61_000);
    expect((await give('correct horse battery')).statusCode).toBe(303);
  });

  test.each([
    ['one IPv6 network', (n: number) => `2001:db8:0:7::${n.toString(16)}`, 5],
    ['everywhere', (n: number) => `10.1.${n >> 8}.${n & 255}`, 100],
  ])('guessed from many addresses of %s is refused until a pause has passed', async (_, from, allowed) => {
    await protect();
    const guess = async (n: number) => (await give('wrong', { 'x-forwarded-for': from(n) })).statusCode;
    const statuses: number[] = [];
    for (let n = 0; n < allowed + 4; n++) {
      // the limit of all visitors, of which this is none
      if (n % 50 === 49) it.clock.advance(10_000);
      statuses.push(await guess(n));
    }
    expect(statuses).toEqual([...Array(allowed).fill(401), 429, 429, 429, 429]);
    const paused = await give('correct horse battery', { 'x-forwarded-for': from(5000) });
    expect(paused.statusCode).toBe(429);
    it.clock.advance(10 * 60_000 + 1000);
    expect((await give('correct horse battery', { 'x-forwarded-for': from(5000) })).statusCode).toBe(303);
  });

  test('and many tries make the pause long', async () => {
    await protect();
    for (let minute = 0; minute < 3; minute++) {
      for (let i = 0; i < 5; i++) expect((await give('wrong')).statusCode).toBe(401);
      it.clock.advance(61_000);
    }
    const paused = await give('correct horse battery');
    expect([paused.statusCode, paused.headers['retry-after']]).toEqual([429, '600']);
  });

  test('odd bodies are wrong passwords or bad requests, never faults', async () => {
    await protect();
    for (const [type, payload, status] of [
      ['application/json', '{"password":{"a":1}}', 401],
      ['application/json', 'x', 400],
      ['application/json', `{"password":"${'x'.repeat(20_000)}"}`, 413],
      ['text/plain', 'x', 415],
    ] as const) {
      const answer = await it.app.inject({ method: 'POST', url: `/shared/${token}`, headers: { 'content-type': type }, payload });
      expect(answer.statusCode, type).toBe(status);
    }
  });
});

describe('who looks', () => {
  test('has no identity, also with a session', async () => {
    const body = { email: OWNER_EMAIL, password: OWNER_PASSWORD };
    const login = await it.call('POST', '/api/login/', { key: null, body });
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    await protect();
    expect((await visit(`/shared/${token}.json`, { cookie, authorization: `Bearer ${it.personalKey}` })).statusCode).toBe(401);
  });

  test('has no key to anything else', async () => {
    for (const [method, url] of [
      ['PATCH', `${project}/dashboards/${board}/`],
      ['GET', `${project}/dashboards/${board}/`],
      ['POST', `${project}/query/`],
    ] as const) {
      expect((await it.call(method, url, { key: token, body: {} })).statusCode).toBe(401);
      expect((await it.call(method, `${url}?sharing_access_token=${token}`, { key: null, body: {} })).statusCode).toBe(401);
    }
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      expect((await it.app.inject({ method, url: `/shared/${token}` })).statusCode).toBe(404);
    }
  });

  test('is counted by the day, and nothing else about them is stored', async () => {
    await visit(`/shared/${token}`);
    await visit(`/embedded/${token}`);
    await visit(`/shared/${token}.json`);
    const rows = () =>
      it.deps.db
        .selectFrom('share_views as v')
        .innerJoin('sharing_configurations as s', 's.id', 'v.sharing_configuration_id')
        .selectAll('v')
        .where('s.access_token', '=', token)
        .execute();
    await expect.poll(async () => (await rows())[0]?.views).toBe(2);
    expect((await api('GET', path)).view_count).toBe(2);
    expect(Object.keys((await rows())[0] ?? {}).sort()).toEqual(['day', 'sharing_configuration_id', 'views']);
  });

  test('sees results that are five minutes old at most, and causes no more of them', async () => {
    const total = async () => JSON.parse((await visit(`/shared/${token}.json`)).body).tiles[0].result.series[0].total;
    const before = await total();
    await send([signUp(`d${before}`, 'paid')]);
    expect(await total()).toBe(before);
    it.clock.advance(5 * 60_000);
    expect(await total()).toBe(before + 1);
  });

  test('too often, waits', async () => {
    for (let i = 0; i < 60; i++) expect((await visit(`/shared/${'y'.repeat(30)}`)).statusCode).toBe(404);
    const limited = await visit(`/shared/${'y'.repeat(30)}`);
    expect([limited.statusCode, Number(limited.headers['retry-after'])]).toEqual([429, expect.closeTo(60, -1)]);
    expect((await visit(`/shared/${token}`)).statusCode).toBe(200);
  });
});
