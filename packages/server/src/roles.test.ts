import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ClickHouseServer, freePort, type Service, startClickHouseServer, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from './config.js';
import { startPostgresServer } from './testing/postgres-server.js';
import { startTestService, type TestService } from './testing/service.js';

/*
 * Servers with one role each, on the same PostgreSQL and the same ClickHouse.
 */

let clickhouse: ClickHouseServer;
let capture: TestService;
let flags: TestService;
let api: TestService;
let jobs: TestService;

beforeAll(async () => {
  clickhouse = await startClickHouseServer();
  const shared = { clickhouseUrl: `${clickhouse.url}/roles`, databaseUrl: 'postgres://db.example.com/tidemark' };
  api = await startTestService({ ...shared, roles: ['api'] });
  capture = await startTestService({ ...shared, roles: ['capture'] }, api);
  flags = await startTestService({ ...shared, roles: ['flags'] }, api);
  // files are in a directory here, which the servers that build and serve them share
  jobs = await startTestService({ ...shared, roles: ['jobs'], dataDir: api.deps.config.dataDir }, api);
});
afterAll(async () => {
  for (const server of [capture, flags, jobs, api]) await server?.close();
  await clickhouse?.close();
});

const eventOf = (event: string) => ({ event, distinct_id: 'ann', uuid: randomUUID(), timestamp: new Date().toISOString() });
const send = (server: TestService, event: string) =>
  server.call('POST', '/batch/', { key: null, body: { api_key: api.projectKey, batch: [eventOf(event)] } });
const evaluate = (server: TestService) =>
  server.call('POST', '/flags/?v=2', { key: null, body: { api_key: api.projectKey, distinct_id: 'ann' } });
const list = (server: TestService) => server.call('GET', `/api/projects/${api.projectId}/dashboards/`);
const refusal = (role: string) =>
  `This server does not have the role ${role} (TIDEMARK_ROLES): send the request to a server that has it.`;

test('what a server with capture alone stores, a server with the API alone finds', async () => {
  const name = `seen ${randomUUID()}`;
  expect((await send(capture, name)).statusCode).toBe(200);
  const query = { kind: 'HogQLQuery', query: `select count() from events where event = '${name}'` };
  const answer = await api.call('POST', `/api/projects/${api.projectId}/query/`, { body: { query } });
  expect(answer.json().results).toEqual([[1]]);
});

test('a flag that is made through the API is answered by the server with flags', async () => {
  const key = `flag-${randomUUID().slice(0, 8)}`;
  const body = { key, filters: { groups: [{ properties: [], rollout_percentage: 100 }] } };
  expect((await api.call('POST', `/api/projects/${api.projectId}/feature_flags/`, { body })).statusCode).toBe(201);
  await expect.poll(async () => (await evaluate(flags)).json().flags[key]?.enabled).toBe(true);
});

describe('a server without the role answers 503 with a sentence in the format of the protocol', () => {
  test('capture', async () => {
    for (const server of [flags, api, jobs]) {
      const { statusCode, headers, payload } = await send(server, 'refused');
      expect({ statusCode, retry: headers['retry-after'], type: headers['content-type'], payload }).toEqual({
        statusCode: 503,
        retry: '5',
        type: 'text/plain; charset=utf-8',
        payload: refusal('capture'),
      });
      expect(headers['access-control-allow-origin']).toBeDefined();
    }
    const v1 = await api.call('POST', '/i/v1/analytics/events', { key: null, body: {} });
    expect([v1.statusCode, v1.json()]).toMatchObject([
      503,
      { error: 'service_unavailable', error_description: refusal('capture') },
    ]);
  });

  test('flags', async () => {
    for (const server of [capture, api, jobs]) {
      const { statusCode, headers, payload } = await evaluate(server);
      expect([statusCode, headers['retry-after'], payload]).toEqual([503, '5', refusal('flags')]);
    }
  });

  test('the API and the web app', async () => {
    for (const server of [capture, flags, jobs]) {
      const { statusCode, headers, payload } = await list(server);
      expect([statusCode, headers['retry-after'], JSON.parse(payload)]).toEqual([
        503,
        '5',
        { type: 'server_error', code: 'unavailable', detail: refusal('api'), attr: null },
      ]);
      expect((await server.call('GET', '/', { key: null })).statusCode).toBe(503);
    }
    expect((await list(api)).statusCode).toBe(200);
  });
});

describe('requests find the role of their path', () => {
  type Method = Parameters<TestService['call']>[0];
  const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
  /** The role that a server without any of these asks for; null: none. */
  async function roleOf(path: string, method: Method): Promise<string | null> {
    const { payload } = await jobs.call(method, path, { key: null, ...(method === 'GET' ? {} : { body: {} }) });
    return /does not have the role (\w+)/.exec(payload)?.[1] ?? null;
  }
  /** What a list of prefixes says of a path. */
  const byPrefix = (prefixes: readonly (readonly [prefix: string, role: string])[], path: string) =>
    prefixes.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? 'api';

  async function documented(): Promise<[string, string][]> {
    const rows = (await read('docs/guide/servers.md')).matchAll(/^\| (`\/.*) \| `(\w+)` \|$/gm);
    return [...rows].flatMap(([, paths = '', role = '']) =>
      [...paths.matchAll(/`(\/[^`]*)`/g)].map(([, path = '']): [string, string] => [path, role]),
    );
  }

  test('as the guide, HAProxy and the manifests of Kubernetes send them', async () => {
    const { paths }: { paths: Record<string, object> } = JSON.parse(await read('openapi.json'));
    const guide = await documented();
    const own = ['/batch', '/capture', '/e', '/i/v0/e', '/engage', '/track', '/s', '/v1/track', '/flags', '/flags/definitions'];
    const others = [
      '/decide',
      '/array/key/config',
      '/array/key/config.js',
      ...guide.map(([path]) => path).filter((path) => /^\/api/.test(path)),
    ];
    const [, haproxy = ''] = /acl capture path_reg (\S+)/.exec(await read('deploy/cluster/haproxy/haproxy.cfg')) ?? [];
    expect(await read('docs/guide/servers.md')).toContain(`acl capture path_reg ${haproxy}`);
    const ingress = (await read('deploy/kubernetes/tidemark.yaml')).matchAll(
      /\{ path: (\/\S+), pathType: Prefix, backend: [&*]capture/g,
    );
    const ofCapture = [...ingress].map(([, path = '']): [string, string] => [path, 'capture or flags']);
    expect([guide.length > 15, ofCapture.length > 15]).toEqual([true, true]);
    let found = 0;
    for (const path of new Set([...Object.keys(paths), ...own, ...others])) {
      const method = Object.keys(paths[path] ?? {})[0]?.toUpperCase() ?? (/^\/a/.test(path) ? 'GET' : 'POST');
      const role = await roleOf(path, method as Method);
      if (role === null) {
        expect(path).toMatch(/^\/(_health|_ready|_preflight|metrics)$/);
        continue;
      }
      found += 1;
      expect([path, role]).toEqual([path, byPrefix(guide, path)]);
      expect([path, role === 'capture']).toEqual([path, new RegExp(haproxy).test(path)]);
      expect([path, role !== 'api']).toEqual([path, byPrefix(ofCapture, path) !== 'api']);
    }
    expect(found).toBeGreaterThan(150);
  });
});

test('jobs run where they are on: an export that the API took is built by the server with jobs', async () => {
  const body = { export_format: 'application/json', export_context: { path: `/api/projects/${api.projectId}/dashboards/` } };
  const made = await api.call('POST', `/api/projects/${api.projectId}/exports/`, { body });
  expect([made.statusCode, made.payload]).toEqual([201, expect.anything()]);
  const path = `/api/projects/${api.projectId}/exports/${made.json().id}/`;
  await expect.poll(async () => (await api.call('GET', path)).json().has_content).toBe('true');
  const runs = async (server: TestService) =>
    /tidemark_background_runs_total\{/.test((await server.call('GET', '/metrics', { key: null })).payload);
  expect(await Promise.all([capture, flags, api].map(runs))).toEqual([false, false, false]);
  expect(await runs(jobs)).toBe(true);
});

test('health and readiness name the roles, and a server with flags alone needs no event store', async () => {
  const health = async (server: TestService) => (await server.call('GET', '/_health', { key: null })).json();
  const ready = async (server: TestService) => {
    const { statusCode, payload } = await server.call('GET', '/_ready', { key: null });
    return [statusCode, payload];
  };
  expect((await health(flags)).roles).toEqual(['flags']);
  expect(await Promise.all([capture, flags, api, jobs].map(ready))).toEqual([
    [200, 'ready: capture\n'],
    [200, 'ready: flags\n'],
    [200, 'ready: api\n'],
    [200, 'ready: jobs\n'],
  ]);
  await clickhouse.kill9();
  await expect.poll(async () => (await ready(capture))[0]).toBe(503);
  expect([await ready(flags), (await evaluate(flags)).statusCode]).toEqual([[200, 'ready: flags\n'], 200]);
  await clickhouse.restart();
  await expect.poll(async () => (await ready(capture))[0]).toBe(200);
});

test('a server with flags alone starts while ClickHouse is away', async () => {
  const postgres = await startPostgresServer();
  const env = {
    DATABASE_URL: postgres.url(),
    CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}/away`,
    TIDEMARK_ROLES: 'flags',
  };
  let service: Service | undefined;
  try {
    service = await startService({ env });
    const body = { api_key: service.account.projectKey, distinct_id: 'ann' };
    expect(await service.call('POST', '/flags/?v=2', { key: null, body })).toMatchObject({ status: 200, body: { flags: {} } });
    expect(await service.call('GET', '/_health', { key: null })).toMatchObject({
      status: 200,
      body: { status: 'ok', roles: ['flags'], stores: { events: { ok: false } } },
    });
    await service.stop();
  } finally {
    await service?.close();
    await postgres.close();
  }
});

test('every server has all roles by default, and a role that there is not is named', () => {
  expect(loadConfig({}).roles).toEqual(['capture', 'flags', 'api', 'jobs']);
  expect(loadConfig({ TIDEMARK_ROLES: ' jobs, capture ' }).roles).toEqual(['capture', 'jobs']);
  expect(() => loadConfig({ TIDEMARK_ROLES: 'capture,worker' })).toThrow(
    'TIDEMARK_ROLES must be some of capture, flags, api, jobs, with commas; "worker" is none of them.',
  );
});
