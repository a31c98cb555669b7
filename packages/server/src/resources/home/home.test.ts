import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cookieOf } from '../../testing/accounts-app.js';
import { OWNER_EMAIL, OWNER_PASSWORD, startTestService, type TestService } from '../../testing/service.js';

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers });

describe('the home page', () => {
  test('a client that does not accept HTML gets one line of text', async () => {
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }] as Record<string, string>[]) {
      const { headers: sent, body } = await get('/', headers);
      expect([sent['content-type'], body]).toEqual(['text/plain', 'Tidemark is running. Its API: /api/schema/ui/\n']);
    }
  });

  test('a browser gets the state of the service and snippets with a placeholder', async () => {
    const { statusCode, headers, body } = await get('/', { ...HTML, host: 'numbers.example' });
    expect([statusCode, headers['content-type'], headers['vary']]).toEqual([200, 'text/html; charset=utf-8', 'Accept, Cookie']);
    expect(body).toContain('<h1>Tidemark is running</h1>');
    expect(body).toMatch(/PostgreSQL<\/b> <span class="ok">\d+\.\d+, answers/);
    expect(body).toContain(
      '&lt;script async src=&quot;http://numbers.example/static/tidemark.js&quot;'.replaceAll('&quot;', '"'),
    );
    expect(body).toContain('href="/api/schema/ui/"');
    expect(body).toContain('&lt;project key&gt;');
    expect(body).not.toContain('Make the first account');
    expect(body).not.toContain(service.projectKey);
    expect(body).not.toContain(OWNER_EMAIL);
  });

  test('its policy allows one style and one script by nonce, and nothing is inline', async () => {
    const { headers, body } = await get('/', HTML);
    const nonce = /<style nonce="([\w-]+)">/.exec(body)?.[1];
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'nonce-${nonce}'; font-src 'self'; script-src 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-frame-options': 'DENY' });
    expect(body).not.toMatch(/<script(?! type="module" nonce="[\w-]+" src="\/static\/home-\w+\.js">)| style="|\son\w+="/i);
  });

  test('a login session gets its project key, a personal API key does not', async () => {
    const body = { email: OWNER_EMAIL, password: OWNER_PASSWORD };
    const cookie = cookieOf(await service.call('POST', '/api/login/', { key: null, body }));
    expect((await get('/', { ...HTML, cookie })).body).toContain(`data-key="${service.projectKey}"`);
    for (const headers of [
      { ...HTML, authorization: `Bearer ${service.personalKey}` },
      { ...HTML, cookie: 'tidemark_session=invented' },
    ]) {
      const answer = await get('/', headers);
      expect([answer.statusCode, answer.body.includes(service.projectKey)]).toEqual([200, false]);
    }
  });

  test('a host name with markup does not become markup', async () => {
    expect((await get('/', { ...HTML, host: '"><script>' })).body).toContain('src="http://localhost/static/tidemark.js"');
  });

  test('the icon is the mark', async () => {
    const { statusCode, headers, body } = await get('/favicon.ico');
    expect([statusCode, headers['content-type'], body.slice(0, 4)]).toEqual([200, 'image/svg+xml', '<svg']);
  });
});

describe('waiting for the first event', () => {
  const ask = (token: string) => service.call('GET', `/api/first_event/?token=${encodeURIComponent(token)}`, { key: null });

  test('a project key alone shows whether an event has come in', async () => {
    const before = await ask(service.projectKey);
    expect([before.statusCode, before.json()]).toEqual([200, { received: false }]);
    const event = { api_key: service.projectKey, event: 'first', distinct_id: 'a' };
    expect((await service.call('POST', '/capture/', { key: null, body: event })).statusCode).toBe(200);
    await expect.poll(async () => (await ask(service.projectKey)).json()).toEqual({ received: true });
  });

  test('unknown keys are refused, and no key is required', async () => {
    service.clock.advance(61_000);
    for (const key of ['tmk_unknown', service.personalKey, '\0', '']) expect((await ask(key)).statusCode).toBe(401);
    expect((await service.call('GET', '/api/first_event/', { key: null })).statusCode).toBe(400);
    expect((await ask('x'.repeat(65))).statusCode).toBe(400);
  });

  test('a network asks 60 times a minute at most', async () => {
    service.clock.advance(61_000);
    for (let n = 0; n < 60; n++) expect((await ask(service.projectKey)).statusCode).toBe(200);
    const limited = await ask(service.projectKey);
    expect([limited.statusCode, Number(limited.headers['retry-after']) > 0]).toEqual([429, true]);
    service.clock.advance(60_000);
    expect((await ask(service.projectKey)).statusCode).toBe(200);
  });
});

describe('an unknown address', () => {
  test('is a page for browsers and JSON for everybody else', async () => {
    const page = await get('/nothing', HTML);
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.body).toContain('<h1>Page not found</h1>');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body).not.toMatch(/<script/);
    for (const [url, headers] of [
      ['/nothing', {}],
      ['/nothing', { accept: 'application/json, text/plain, */*' }],
      ['/api/nothing/', HTML],
    ] as const) {
      const answer = await get(url, headers);
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
    }
    const write = await service.app.inject({ method: 'POST', url: '/nothing', headers: HTML });
    expect([write.statusCode, write.json().code]).toEqual([404, 'not_found']);
  });
});
