import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type Account,
  apiOf,
  type ClickHouseCluster,
  eventually,
  type Service,
  startClickHouseCluster,
  startService,
} from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PACKAGE_FOLDER } from './kernel/package-folder.js';
import { type PostgresServer, startPostgresServer } from './testing/postgres-server.js';

/*
 * Three servers behind a load balancer, on two shards of ClickHouse, are replaced one after the other by a version with one more migration of
 * each store, while clients send events and ask for flags and for insights.
 */

const root = fileURLToPath(PACKAGE_FOLDER);
let postgres: PostgresServer;
let clickhouse: ClickHouseCluster;
let newer: string;
/** Of the first server, which all share. */
let account: Account | undefined;
const servers: Service[] = [];
let balancer: Server;
let url: string;

beforeAll(async () => {
  [postgres, clickhouse, newer] = await Promise.all([
    startPostgresServer(),
    startClickHouseCluster({ shards: 2 }),
    makeNewerVersion(),
  ]);
  servers.push(await start());
  account = servers[0]?.account;
  servers.push(...(await Promise.all([start(), start()])));
  balancer = balance();
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
});
afterAll(async () => {
  balancer?.close();
  await Promise.all(servers.map((server) => server.close()));
  await Promise.all([postgres?.close(), clickhouse?.close()]);
  if (newer) await rm(newer, { recursive: true, force: true });
});

/** A server on the stores of all; with the version of a folder instead of this one. */
function start(folder?: string): Promise<Service> {
  return startService({
    ...(folder ? { main: join(folder, 'dist/bundle/tidemark.js') } : {}),
    env: {
      DATABASE_URL: postgres.url(),
      CLICKHOUSE_URL: `${clickhouse.url}/rolling`,
      CLICKHOUSE_CLUSTER: clickhouse.name,
      TIDEMARK_DRAIN_SECONDS: '1',
      ...(account
        ? {
            TIDEMARK_INIT_EMAIL: account.email,
            TIDEMARK_INIT_PASSWORD: account.password,
            TIDEMARK_INIT_PROJECT_KEY: account.projectKey,
            TIDEMARK_INIT_PERSONAL_KEY: account.personalKey,
          }
        : {}),
    },
  });
}

/** A copy of the built service with one more migration of each store, which adds a column as the rule for migrations says. */
async function makeNewerVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-newer-'));
  await Promise.all(
    ['package.json', 'dist', 'src/adapters/postgres/migrations', 'src/adapters/clickhouse/migrations'].map((part) =>
      cp(join(root, part), join(folder, part), { recursive: true }),
    ),
  );
  await symlink(join(root, '../../node_modules'), join(folder, 'node_modules'));
  await writeFile(
    join(folder, 'src/adapters/postgres/migrations/9999_one_more.sql'),
    "alter table projects add column one_more text not null default 'x';",
  );
  await writeFile(
    join(folder, 'src/adapters/clickhouse/migrations/9999_one_more.sql'),
    'ALTER TABLE events ADD COLUMN IF NOT EXISTS one_more UInt8 DEFAULT 7;\n',
  );
  return folder;
}

/** Distributes requests in turn among the servers that were ready a moment ago, and takes the next one if a connection is refused. */
function balance(): Server {
  let turn = 0;
  const ready = new Set<Service>();
  const check = async () => {
    for (const server of [...servers]) {
      const answer = await fetch(`${server.url}/_ready`).catch(() => null);
      await answer?.arrayBuffer();
      if (answer?.ok) ready.add(server);
      else ready.delete(server);
    }
  };
  const timer = setInterval(() => void check(), 100);
  const forward = (incoming: IncomingMessage, body: Buffer, response: ServerResponse, tries: number) => {
    const candidates = servers.filter((server) => ready.has(server));
    const server = candidates[turn++ % Math.max(1, candidates.length)];
    if (!server) return void response.writeHead(503).end();
    const { method, url: path, headers } = incoming;
    const outgoing = request(`${server.url}${path}`, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && tries > 0) forward(incoming, body, response, tries - 1);
      else response.writeHead(502).end();
    });
    outgoing.end(body);
  };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk)).on('end', () => forward(incoming, Buffer.concat(chunks), response, 3));
  });
  server.on('close', () => clearInterval(timer));
  return server;
}

/** Attempts of a client at one request, as the libraries make them. */
const ATTEMPTS = 4;

test('servers are replaced one by one across a migration: every request is served within the retries of a client, and every acknowledged event is stored once', async () => {
  await eventually(async () => {
    if (!(await fetch(`${url}/_ready`)).ok) throw new Error('no server is ready');
  });
  const key = account?.projectKey ?? '';
  const event = `rolled ${randomUUID()}`;
  const acknowledged: string[] = [];
  const refused: string[] = [];
  let isOver = false;

  async function post(path: string, body: object): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const answer = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) }).catch(() => null);
      await answer?.arrayBuffer();
      if (answer?.ok) return true;
      refused.push(`${path} ${answer?.status ?? 'broken'}`);
      await sleep(200 * 2 ** attempt);
    }
    return false;
  }

  const sender = async () => {
    while (!isOver) {
      const batch = Array.from({ length: 5 }, () => ({
        event,
        distinct_id: `p${Math.floor(Math.random() * 20)}`,
        uuid: randomUUID(),
        timestamp: new Date().toISOString(),
      }));
      expect([await post('/batch/', { api_key: key, batch }), refused]).toEqual([true, expect.anything()]);
      acknowledged.push(...batch.map(({ uuid }) => uuid));
      await sleep(10);
    }
  };
  const flagClient = async () => {
    while (!isOver) {
      expect([await post('/flags/?v=2', { api_key: key, distinct_id: 'ann' }), refused]).toEqual([true, expect.anything()]);
      await sleep(20);
    }
  };
  const reader = async () => {
    const query = { kind: 'HogQLQuery', query: `select count() from events where event = '${event}'` };
    const ask = async () => {
      const before = acknowledged.length;
      const body = { query, refresh: 'force_blocking' };
      const answer = await apiOf(url, account?.personalKey ?? '').post('/api/projects/@current/query/', body);
      if (answer.status !== 200) refused.push(`query ${answer.status}`);
      else expect((answer.body as { results: number[][] }).results[0]?.[0]).toBeGreaterThanOrEqual(before);
      return answer.status === 200;
    };
    while (!isOver) {
      let isAnswered = false;
      for (let attempt = 0; attempt < ATTEMPTS && !isAnswered; attempt += 1) {
        isAnswered = await ask();
        if (!isAnswered) await sleep(200 * 2 ** attempt);
      }
      expect([isAnswered, refused]).toEqual([true, expect.anything()]);
      await sleep(20);
    }
  };
  const clients = Promise.all([sender(), sender(), flagClient(), reader()]);

  for (let index = 0; index < 3; index += 1) {
    const old = servers[index];
    await old?.stop();
    await old?.close();
    // from the first one on the schema is newer than the servers that are still to be replaced
    const next = await start(newer);
    servers[index] = next;
    const before = acknowledged.length;
    await eventually(async () => {
      if (acknowledged.length < before + 50) throw new Error('not enough events');
    });
  }
  isOver = true;
  await clients;

  const query = { kind: 'HogQLQuery', query: `select count(), count(distinct uuid) from events where event = '${event}'` };
  const { body } = await apiOf(url, account?.personalKey ?? '').post('/api/projects/@current/query/', { query });
  expect(body).toMatchObject({ results: [[acknowledged.length, acknowledged.length]] });
  // no connection broke with a request on it, which is what the balancer answers 502 for
  expect(refused.filter((fault) => !fault.endsWith(' 503'))).toEqual([]);
  // each node has the column in the table of its shard and in that over all shards
  const columns = "SELECT count() FROM clusterAllReplicas(tests, system.columns) WHERE table = 'events' AND name = 'one_more'";
  expect(await (await fetch(clickhouse.url, { method: 'POST', body: columns })).text()).toBe('4\n');
});

test('a server of the older version that is started again on the newer schema says so in one sentence', async () => {
  await expect(start()).rejects.toThrow(
    /The database was made by a newer Tidemark \(schema 9999, this one knows \d+\): start that version or a later one\./,
  );
});
