import { fastify } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { createScheduler } from '../adapters/system/index.js';
import { ConfigError, loadConfig } from '../config.js';
import { installRestApi } from '../http/rest-api.js';
import { type AccountsApp, startAccountsApp } from '../testing/accounts-app.js';
import { mountUserRoutes, userRoute } from './index.js';

const ME = '/api/users/@me/';
let it: AccountsApp;
afterEach(() => it.close());

const ask = async (key: string, url = ME) => (await it.call({ key }, 'GET', url)).statusCode;

test('both windows count per key, and Retry-After is the exact wait', async () => {
  it = await startAccountsApp({ rateLimits: { perMinute: 3, perHour: 5 } });
  const { key } = it.owner;
  const other = await it.makeKey(it.owner.cookie, {});
  for (let n = 0; n < 3; n += 1) expect(await ask(key)).toBe(200);
  it.advance(1_500);
  const refused = await it.call({ key }, 'GET', ME);
  const wait = Number(refused.headers['retry-after']);
  expect(wait).toBeGreaterThan(40);
  expect(wait).toBeLessThanOrEqual(59);
  expect([refused.statusCode, refused.json()]).toEqual([
    429,
    {
      type: 'throttled_error',
      code: 'throttled',
      detail: `Request was throttled. Expected available in ${wait} seconds.`,
      attr: null,
    },
  ]);
  expect(await ask(other.key)).toBe(200);
  it.advance(wait * 1000);
  expect(await ask(key)).toBe(200);
  expect(await ask(key)).toBe(200);
  it.advance(60_000);
  const hourly = await it.call({ key }, 'GET', ME);
  expect(hourly.statusCode).toBe(429);
  expect(Number(hourly.headers['retry-after'])).toBeGreaterThan(3000);
  it.advance(3_600_000);
  expect(await ask(key)).toBe(200);
});

test('the limit is checked after the key and before its scopes; sessions have none', async () => {
  it = await startAccountsApp({ rateLimits: { perMinute: 2, perHour: 2 } });
  const { key } = await it.makeKey(it.owner.cookie, { scopes: ['insight:read'] });
  // a request that is refused for its scope or its method counts too
  expect(await ask(key)).toBe(403);
  expect((await it.call({ key }, 'PUT', ME)).statusCode).toBe(405);
  expect(await ask(key)).toBe(429);
  expect((await it.call({ key }, 'PUT', ME)).statusCode).toBe(429);
  expect(await ask('tms_wrong')).toBe(401);
  for (let n = 0; n < 5; n += 1) expect((await it.call(it.owner, 'GET', ME)).statusCode).toBe(n < 2 ? 200 : 429);
  const { cookie } = it.owner;
  for (let n = 0; n < 5; n += 1) expect((await it.call({ cookie }, 'GET', ME)).statusCode).toBe(200);
});

test('concurrent requests get no more than the limit', async () => {
  it = await startAccountsApp({ rateLimits: { perMinute: 7, perHour: 1000 } });
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(it.owner.key)));
  expect(answers.filter((status) => status === 200)).toHaveLength(7);
});

/** Routes that cost nothing but their guards; tells how many of so many requests at once were admitted. */
function startRoutes() {
  const app = fastify();
  installRestApi(app, createScheduler());
  const route = (method: 'GET' | 'POST', path: string) =>
    userRoute({ method, path, scope: 'any', summary: 'x', status: 200, handle: async () => null });
  mountUserRoutes(app, it.deps, '/x', [
    route('GET', '/dashboards/'),
    route('GET', '/insights/:id/'),
    route('POST', '/insights/'),
    route('GET', '/persons/'),
    route('POST', '/query/'),
  ]);
  return async (count: number, method: 'GET' | 'POST', url: string, body?: object): Promise<number> => {
    const request = {
      method,
      url,
      headers: { authorization: `Bearer ${it.owner.key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    };
    const answers = await Promise.all(Array.from({ length: count }, () => app.inject(request)));
    return answers.filter((answer) => answer.statusCode === 200).length;
  };
}

test('by default keys have no limit', async () => {
  it = await startAccountsApp();
  expect(it.deps.config.rateLimits).toBe('off');
  expect(await startRoutes()(500, 'GET', '/x/dashboards/')).toBe(500);
});

test('on: 480 a minute, 240 for analytics reads, 120 an hour for SQL', async () => {
  it = await startAccountsApp({ rateLimits: 'on' });
  const admitted = startRoutes();
  expect(await admitted(490, 'GET', '/x/dashboards/')).toBe(480);
  expect(await admitted(100, 'GET', '/x/persons/')).toBe(100);
  expect(await admitted(150, 'GET', '/x/insights/1/')).toBe(140);
  // other requests about insights are not reads
  expect(await admitted(1, 'POST', '/x/insights/')).toBe(0);
  const sql = { query: { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery' } } };
  expect(await admitted(100, 'POST', '/x/query/', sql)).toBe(100);
  expect(await admitted(30, 'POST', '/x/query/', { query: sql.query.source })).toBe(20);
  it.advance(60_000);
  expect(await admitted(1, 'POST', '/x/query/', sql)).toBe(0);
  expect(await admitted(1, 'POST', '/x/query/', { query: { kind: 'TrendsQuery' } })).toBe(1);
});

describe('TIDEMARK_RATE_LIMITS', () => {
  const load = (value?: string) => loadConfig({ TIDEMARK_RATE_LIMITS: value }).rateLimits;

  test('off, on or two numbers are accepted', () => {
    expect([load(), load(''), load('off'), load('on')]).toEqual(['off', 'off', 'off', 'on']);
    expect(load('100/2000')).toEqual({ perMinute: 100, perHour: 2000 });
  });

  test.each(['yes', '100', '100/', '0/100', '-1/5', '1/2/3', '1.5/2', ' 1/2'])('%j is refused in a sentence', (value) => {
    expect(() => load(value)).toThrow(ConfigError);
    expect(() => load(value)).toThrow(
      `TIDEMARK_RATE_LIMITS must be on, off or <requests per minute>/<requests per hour> such as 480/4800, not "${value}".`,
    );
  });
});
