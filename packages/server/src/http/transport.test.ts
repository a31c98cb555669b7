import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../app.js';
import { withServices } from '../services.js';
import { startTestService, type TestService } from '../testing/service.js';
import { type Operation, operationsOf } from './openapi/index.js';

const PROJECT = '/api/projects/:project_id';
const ENVIRONMENT = '/api/environments/:project_id';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const UUID = '00000000-0000-4000-8000-000000000000';

let service: TestService;
let operations: Operation[];
beforeAll(async () => {
  service = await startTestService();
  operations = operationsOf(service.app).filter(({ urls }) => urls.some((url) => url.startsWith('/api/')));
});
afterAll(() => service.close());

type Send = Pick<InjectOptions, 'method' | 'url' | 'payload' | 'remoteAddress'> & { headers?: Record<string, string> };
const send = (options: Send, app: FastifyInstance = service.app): Promise<LightMyRequestResponse> =>
  app.inject({ ...options, headers: { authorization: `Bearer ${service.personalKey}`, ...options.headers } });

/** An address that a pattern fits, without a slash at its end. */
const addressOf = (pattern: string, project: string): string =>
  pattern.replace(':project_id', project).replace(':organization_id', '@current').replace(/:\w+/g, UUID).replace(/\/$/, '');

describe('spec of both prefixes (1.1 to 1.3)', () => {
  test('every route of a project is at both prefixes', () => {
    const below = (prefix: string) =>
      operations.flatMap(({ method, urls }) =>
        urls.filter((url) => url.startsWith(`${prefix}/`)).map((url) => `${method} ${url.slice(prefix.length)}`),
      );
    expect(below(ENVIRONMENT).sort()).toEqual(below(PROJECT).sort());
    expect(below(PROJECT).length).toBeGreaterThan(40);
  });

  test('every route responds at every prefix, by number and as @current, with and without the slash, for every method', async () => {
    const made = await service.app.inject({
      method: 'POST',
      url: '/api/login/',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ email: service.deps.config.init?.email, password: service.deps.config.init?.password }),
    });
    const cookie = made.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const key = await service.app.inject({
      method: 'POST',
      url: '/api/personal_api_keys/',
      headers: { cookie, 'content-type': 'application/json' },
      payload: JSON.stringify({ label: 'for nothing here', scopes: ['webhook:read'] }),
    });
    const authorization = `Bearer ${key.json().value}`;
    // a key without the scope is refused by the route itself, before anything is looked at: proof that it is there
    const scoped = operations.filter(({ access }) => access !== null && access !== 'any');
    for (const { method: name, urls, access } of scoped) {
      const method = METHODS.find((one) => one === name);
      const detail =
        access === 'session'
          ? 'This action does not support personal API key access'
          : `API key missing required scope '${access}'`;
      const addresses = urls.flatMap((url) => [String(service.projectId), '@current'].map((project) => addressOf(url, project)));
      for (const url of new Set(addresses.flatMap((address) => [address, `${address}/`]))) {
        const answer = await send({ ...(method ? { method } : {}), url, headers: { authorization } });
        expect([name, url, answer.statusCode, answer.json().detail]).toEqual([method, url, 403, detail]);
      }
    }
    expect(scoped.length).toBeGreaterThan(60);
  }, 300_000);

  test('@current is the current project, and needs credentials', async () => {
    const reads = operations
      .filter(({ method, urls }) => method === 'GET' && urls.some((url) => url.startsWith(`${PROJECT}/`)))
      .flatMap(({ urls }) => urls.filter((url) => /^\/api\/(projects|environments)\/:project_id\/[^:]*$/.test(url)))
      // a stream has no end
      .filter((url) => !url.endsWith('/live/'));
    expect(reads.length).toBeGreaterThan(20);
    for (const url of reads) {
      const [byId, current] = await Promise.all(
        [String(service.projectId), '@current'].map((project) => send({ method: 'GET', url: addressOf(url, project) })),
      );
      expect([url, current?.statusCode, current?.json()]).toEqual([url, byId?.statusCode, byId?.json()]);
      const nobody = await service.app.inject({ method: 'GET', url: addressOf(url, '@current') });
      expect([url, nobody.statusCode, nobody.json().code]).toEqual([url, 401, 'not_authenticated']);
    }
  });
});

describe('spec of bodies (1.8)', () => {
  const boundary = '----a-boundary';
  const multipart = (fields: [string, string][]): string =>
    `${fields.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--${boundary}--\r\n`;
  const encodings: [string, string, (fields: [string, string][]) => string][] = [
    ['a form', 'application/x-www-form-urlencoded', (fields) => new URLSearchParams(fields).toString()],
    ['a multipart form', `multipart/form-data; boundary=${boundary}`, multipart],
    ['JSON', 'application/json; charset=utf-8', (fields) => JSON.stringify({ ...Object.fromEntries(fields), tags: ['b', 'ä'] })],
  ];

  test.each(encodings)('POST and PATCH accept %s', async (_name, type, encode) => {
    const url = `/api/projects/${service.projectId}/dashboards/`;
    const headers = { 'content-type': type };
    const fields: [string, string][] = [
      ['name', 'Ü & Co'],
      ['pinned', 'true'],
      ['restriction_level', '21'],
      ['tags', 'b'],
      ['tags', 'ä'],
      ['unknown', 'field'],
    ];
    const made = await send({ method: 'POST', url, headers, payload: encode(fields) });
    expect(made.statusCode).toBe(201);
    expect(made.json()).toMatchObject({ name: 'Ü & Co', pinned: true, restriction_level: 21 });
    expect(made.json().tags.sort()).toEqual(['b', 'ä']);
    for (const method of ['PATCH', 'PUT'] as const) {
      const payload = encode([
        ['name', `replaced by ${method}`],
        ['pinned', 'off'],
      ]);
      const changed = await send({ method, url: `${url}${made.json().id}`, headers, payload });
      expect([changed.statusCode, changed.json().name, changed.json().pinned]).toEqual([200, `replaced by ${method}`, false]);
    }
    const wrong = await send({
      method: 'PATCH',
      url: `${url}${made.json().id}/`,
      headers,
      payload: encode([['pinned', 'maybe']]),
    });
    expect([wrong.statusCode, wrong.json()]).toEqual([
      400,
      { type: 'validation_error', code: 'invalid_input', detail: 'Must be a valid boolean.', attr: 'pinned' },
    ]);
  });

  test('other content types are refused after authentication and before any change', async () => {
    const url = `/api/projects/${service.projectId}/dashboards/`;
    const text = { 'content-type': 'text/plain' };
    const refused = await send({ method: 'POST', url, headers: text, payload: 'name=x' });
    expect([refused.statusCode, refused.json()]).toEqual([
      415,
      {
        type: 'invalid_request',
        code: 'unsupported_media_type',
        detail: 'Unsupported media type "text/plain" in request.',
        attr: null,
      },
    ]);
    for (const type of ['nonsense', 'a/b/c', ';charset=utf-8', '']) {
      const odd = await send({ method: 'POST', url, headers: { 'content-type': type }, payload: '{}' });
      expect([type, odd.statusCode, odd.json().code, odd.json().detail, odd.headers['access-control-allow-origin']]).toEqual([
        type,
        415,
        'unsupported_media_type',
        `Unsupported media type "${type.split(';')[0]}" in request.`,
        '*',
      ]);
    }
    for (const headers of [text, { 'content-type': 'nonsense' }]) {
      const nobody = await service.app.inject({ method: 'POST', url, headers, payload: 'name=x' });
      expect(nobody.statusCode).toBe(401);
    }
  });
});

describe('spec 7: 405 responses', () => {
  const PATH = '/api/environments/@current';
  test.each<['POST' | 'PUT' | 'PATCH' | 'DELETE', string, string, boolean]>([
    ['PUT', '/dashboards/', 'GET, POST, HEAD, OPTIONS', true],
    ['POST', '/dashboards/1/', 'GET, PATCH, PUT, HEAD, OPTIONS', true],
    // the one that has no body
    ['DELETE', '/dashboards/1/', 'GET, PATCH, PUT, HEAD, OPTIONS', false],
    ['PATCH', `/dashboards/1/collaborators/${UUID}`, 'DELETE, OPTIONS', true],
    ['POST', '/dashboards/1/sharing', 'GET, PATCH, HEAD, OPTIONS', true],
    ['DELETE', '/exports/1/', 'GET, HEAD, OPTIONS', true],
  ])('%s %s has the allowed methods', async (method, path, allow, hasBody) => {
    const answer = await send({ method, url: PATH + path });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow]);
    const detail = `Method "${method}" not allowed.`;
    if (hasBody) expect(answer.json()).toEqual({ type: 'invalid_request', code: 'method_not_allowed', detail, attr: null });
    else expect([answer.body, answer.headers['content-type']]).toEqual(['', undefined]);
  });
});

describe('spec of pages (11.1 to 11.3)', () => {
  const LIST = '/api/organizations/@current/projects/';
  const TOTAL = 7;
  beforeAll(async () => {
    for (let n = 1; n < TOTAL; n += 1) {
      const made = await service.call('POST', LIST, { body: { name: `Project ${n}` } });
      expect(made.statusCode).toBe(201);
    }
  });
  const page = async (query: string, headers: Record<string, string> = {}) => {
    const answer = await send({ method: 'GET', url: `${LIST}${query}`, headers: { host: 'tm.test', ...headers } });
    expect(answer.statusCode).toBe(200);
    return answer.json();
  };
  const link = (query: string) => `http://tm.test${LIST}${query}`;

  test.each([
    ['?limit=3', { next: link('?limit=3&offset=3'), previous: null }, 3],
    ['?limit=3&offset=3', { next: link('?limit=3&offset=6'), previous: link('?limit=3') }, 3],
    ['?limit=3&offset=6', { next: null, previous: link('?limit=3&offset=3') }, 1],
    ['?limit=3&offset=2', { next: link('?limit=3&offset=5'), previous: link('?limit=3') }, 3],
    ['?limit=3&offset=4', { next: null, previous: link('?limit=3&offset=1') }, 3],
    ['?limit=7', { next: null, previous: null }, 7],
    ['?limit=6', { next: link('?limit=6&offset=6'), previous: null }, 6],
    ['?limit=3&offset=1000', { next: null, previous: link('?limit=3&offset=997') }, 0],
    ['?offset=1000', { next: null, previous: link('?limit=100&offset=900') }, 0],
    ['?limit=3&offset=-1', { next: link('?limit=3&offset=3'), previous: null }, 3],
    ['?limit=3&offset=x', { next: link('?limit=3&offset=3'), previous: null }, 3],
    ['?limit=3&offset=', { next: link('?limit=3&offset=3'), previous: null }, 3],
    ['?limit=0', { next: null, previous: null }, 7],
    ['?limit=-2', { next: null, previous: null }, 7],
    ['?limit=two', { next: null, previous: null }, 7],
    ['?limit=1e1', { next: null, previous: null }, 7],
    ['?limit=99999999999999999999', { next: null, previous: null }, 7],
    ['?limit=5&offset=99999999999999999999', { next: null, previous: link('?limit=5&offset=2147483642') }, 0],
    ['?z=1&limit=3&b=2&b=3&a=%26%20%C3%BC', { next: link('?a=%26+%C3%BC&b=2&b=3&limit=3&offset=3&z=1'), previous: null }, 3],
    ['?limit=2&limit=3', { next: link('?limit=3&offset=3'), previous: null }, 3],
  ])('%s', async (query, links, length) => {
    const { results, ...envelope } = await page(query);
    expect(Object.keys(await page(query))).toEqual(['count', 'next', 'previous', 'results']);
    expect([envelope, results.length]).toEqual([{ count: TOTAL, ...links }, length]);
  });

  test('next and then previous links return every row once, in both directions', async () => {
    const all = (await page('')).results.map((row: { id: number }) => row.id);
    for (const direction of ['next', 'previous'] as const) {
      const ids: number[] = [];
      let url: string | null = direction === 'next' ? '?limit=2' : '?limit=2&offset=6';
      while (url !== null) {
        const read: { results: { id: number }[]; next: string | null; previous: string | null } = await page(url);
        const part = read.results.map(({ id }) => id);
        if (direction === 'next') ids.push(...part);
        else ids.unshift(...part);
        url = read[direction] && new URL(read[direction]).search;
      }
      expect(ids).toEqual(all);
    }
  });
});

describe('links behind proxies', () => {
  const LIST = '/api/projects/?limit=1';
  let behind: FastifyInstance;
  beforeAll(async () => {
    const config = { ...service.deps.config, trustedProxies: ['10.0.0.0/8', '2001:db8::/32'] };
    behind = await buildApp(withServices({ ...service.deps, config, metrics: new Registry() }));
    await behind.ready();
  });
  afterAll(() => behind.close());
  const forwarded = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'stats.example.com' };
  const next = async (app: FastifyInstance, remoteAddress: string, headers: Record<string, string>): Promise<string> => {
    const answer = await send({ method: 'GET', url: LIST, remoteAddress, headers: { host: 'inner:8000', ...headers } }, app);
    expect(answer.statusCode).toBe(200);
    return new URL(answer.json().next).origin;
  };

  test.each([
    ['a trusted proxy is believed', '10.1.2.3', forwarded, 'https://stats.example.com'],
    ['also by IPv6', '2001:db8::5', forwarded, 'https://stats.example.com'],
    ['another address is not', '203.0.113.9', forwarded, 'http://inner:8000'],
    ['the port counts', '10.1.2.3', { ...forwarded, 'x-forwarded-port': '8443' }, 'https://stats.example.com:8443'],
    ['the usual port is not written', '10.1.2.3', { ...forwarded, 'x-forwarded-port': '443' }, 'https://stats.example.com'],
    [
      'the port of the host wins',
      '10.1.2.3',
      { ...forwarded, 'x-forwarded-host': 'a.test:81', 'x-forwarded-port': '82' },
      'https://a.test:81',
    ],
    ['another’s port does not count', '203.0.113.9', { ...forwarded, host: 'inner', 'x-forwarded-port': '8443' }, 'http://inner'],
    [
      'the proxy next to us speaks last',
      '10.1.2.3',
      { ...forwarded, 'x-forwarded-host': 'evil.test, stats.test' },
      'https://stats.test',
    ],
    ['an IPv6 host', '10.1.2.3', { ...forwarded, 'x-forwarded-host': '[2001:db8::1]:8080' }, 'https://[2001:db8::1]:8080'],
    ['a scheme that is none', '10.1.2.3', { ...forwarded, 'x-forwarded-proto': 'javascript' }, 'http://stats.example.com'],
    ['a host that is none', '10.1.2.3', { ...forwarded, 'x-forwarded-host': 'user@evil.test/path?' }, 'https://localhost'],
    ['a port that is none', '10.1.2.3', { ...forwarded, 'x-forwarded-port': '99999' }, 'https://localhost'],
  ])('%s', async (_name, remoteAddress, headers, expected) => {
    expect(await next(behind, remoteAddress, headers)).toBe(expected);
  });

  test('without TIDEMARK_TRUSTED_PROXIES forwarded headers are ignored', async () => {
    expect(await next(service.app, '10.1.2.3', { ...forwarded, 'x-forwarded-port': '8443' })).toBe('http://inner:8000');
    expect(await next(service.app, '127.0.0.1', forwarded)).toBe('http://inner:8000');
  });

  test.each(['a b', '<script>', 'x:999999', '', 'a@b', 'http://x/'])('a Host header of %j causes no 500', async (host) => {
    expect(await next(service.app, '127.0.0.1', { host })).toBe('http://localhost');
  });
});
