import { randomUUID } from 'node:crypto';
import {
  type ClickHouseCluster,
  type ClickHouseServer,
  eventually,
  startClickHouseCluster,
  startClickHouseServer,
} from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEvents } from '../adapters/clickhouse/index.js';
import { createScheduler } from '../adapters/system/index.js';
import { loadConfig } from '../config.js';
import type { EventsStore } from '../ports/events.js';
import { testDatabase } from '../testing/database.js';
import { eventRow, personRow } from '../testing/events-contract/index.js';
import { runCommand } from '../testing/run-command.js';
import { startTestService } from '../testing/service.js';

const options = { log: pino({ level: 'silent' }), scheduler: createScheduler() };
const shard = (number: number) =>
  `<shard><internal_replication>true</internal_replication><replica><host>127.0.0.${number}</host><port>{port}</port></replica></shard>`;

let cluster: ClickHouseCluster;
let alone: ClickHouseServer;
beforeAll(async () => {
  const two = `<two>${shard(1)}${shard(2)}</two>`;
  [cluster, alone] = await Promise.all([
    startClickHouseCluster({ shards: 3, memory: 768 * 1024 * 1024, otherClusters: two }),
    startClickHouseServer(),
  ]);
});
afterAll(() => Promise.all([cluster?.close(), alone?.close()]));

const open = (url: string, name?: string): Promise<EventsStore> =>
  openEvents(loadConfig({ CLICKHOUSE_URL: url, CLICKHOUSE_CLUSTER: name }), options);
const database = () => `d${randomUUID().replaceAll('-', '')}`;
const run = (args: string[], url: string, name?: string) =>
  runCommand(['cluster', ...args], { CLICKHOUSE_URL: url, ...(name ? { CLICKHOUSE_CLUSTER: name } : {}) });
const on = async (url: string, body: string): Promise<string> => {
  const response = await fetch(url, { method: 'POST', body });
  const text = (await response.text()).trim();
  if (!response.ok) throw new Error(text);
  return text;
};

/** Rows of two projects and three months, with persons of several versions. */
async function fill(store: EventsStore): Promise<void> {
  const events = Array.from({ length: 600 }, (_, number) =>
    eventRow({
      project_id: 1 + (number % 2),
      distinct_id: `id ${number % 70}`,
      timestamp: Date.UTC(2026, 4 + (number % 3), 1 + (number % 20)),
      properties: { number, nested: { a: [1, 'x', null] }, [`only ${number % 40}`]: true },
    }),
  );
  await store.insert('events', events, { token: randomUUID() });
  for (const version of [1, 2]) {
    const persons = Array.from({ length: 50 }, (_, number) =>
      personRow({
        project_id: 1,
        person_id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
        properties: { version },
        version,
      }),
    );
    await store.insert('persons', persons, { token: randomUUID() });
  }
  const person_id = '00000000-0000-4000-8000-000000000001';
  await store.insert('person_overrides', [{ project_id: 1, distinct_id: 'id 3', person_id, version: 1 }], {
    token: randomUUID(),
  });
  const group = {
    project_id: 2,
    group_type_index: 0,
    group_key: 'acme',
    properties: { plan: 'team' },
    created_at: 0,
    version: 1,
  };
  await store.insert('groups', [group], { token: randomUUID() });
}

/** All rows of a store, in an order of their own. */
async function contents(store: EventsStore): Promise<unknown[][]> {
  const statements = [
    'SELECT * FROM events ORDER BY uuid',
    'SELECT * FROM persons FINAL ORDER BY project_id, person_id',
    'SELECT * FROM person_overrides FINAL ORDER BY project_id, distinct_id',
    'SELECT * FROM groups FINAL ORDER BY project_id, group_key',
  ];
  return Promise.all(statements.map(async (sql) => (await store.query({ sql })).rows));
}

describe('reshard', () => {
  test('copies a cluster of two shards to three, also what has come and gone since it was run before', async () => {
    const [old, fresh] = [`${cluster.url}/${database()}`, `${cluster.url}/${database()}`];
    const from = await open(old, 'two');
    await fill(from);
    const again = ['reshard', '--to', fresh, '--to-cluster', cluster.name];
    const first = await run(again, old, 'two');
    expect(first).toMatchObject({
      code: 0,
      errors: '',
      output: expect.stringContaining('events of project 2 of 2026-06: 100 copied'),
    });
    const to = await open(fresh, cluster.name);
    expect(await contents(to)).toEqual(await contents(from));
    const localCounts = await Promise.all(
      cluster.nodes.map(({ url }) => on(url, `SELECT count() FROM ${new URL(fresh).pathname.slice(1)}_local.events`)),
    );
    expect(localCounts.every((count) => Number(count) > 0)).toBe(true);

    await fill(from);
    await expect.poll(() => from.deleteEvents(1, [{ distinctIds: ['id 4'], until: Date.now() + 60_000 }])).toBe(true);
    await expect.poll(() => from.deleteProject(2)).toBe(true);
    expect(await run(again, old, 'two')).toMatchObject({ code: 0, output: expect.stringContaining('copied') });
    expect(await contents(to)).toEqual(await contents(from));

    const version = (await from.dataVersion(1)).whole;
    expect(await run([...again, '--finish'], old, 'two')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/take no more rows[\s\S]*All \d+ rows are in .* CLICKHOUSE_CLUSTER=tests/),
    });
    await expect(from.insert('events', [eventRow()], { token: randomUUID() })).rejects.toMatchObject({
      name: 'EventsUnavailable',
    });
    // a result that was cached for the old place is not the answer of the new one
    expect(Number((await to.dataVersion(1)).whole.split('.')[0])).toBeGreaterThan(Number(version.split('.')[0]));
    // rows that came after the switch are not taken for surplus
    await to.insert('events', [eventRow({ project_id: 1 })], { token: randomUUID() });
    expect(await run(again, old, 'two')).toMatchObject({ code: 1, errors: expect.stringMatching(/All rows are in .* already/) });
    expect(await run([...again, '--cancel'], old, 'two')).toMatchObject({ code: 0 });
    await from.insert('events', [eventRow()], { token: randomUUID() });
    await Promise.all([from.close(), to.close()]);
  });

  test('of one server to a cluster loses no acknowledged event while clients send on', async () => {
    const [old, fresh] = [`${alone.url}/${database()}`, `${cluster.url}/${database()}`];
    const databaseUrl = 'postgres://db.example.com/tidemark';
    const before = await startTestService({ clickhouseUrl: old, databaseUrl });
    let server = before;
    const acknowledged: string[] = [];
    let isOver = false;
    const sender = async () => {
      while (!isOver) {
        const batch = Array.from({ length: 5 }, (_, number) => ({
          event: 'moved',
          distinct_id: `id ${number}`,
          uuid: randomUUID(),
          timestamp: new Date().toISOString(),
          properties: { $set: { plan: 'team' } },
        }));
        await eventually(
          async () => {
            const body = { api_key: server.projectKey, batch };
            const { statusCode } = await server.call('POST', '/batch/', { key: null, body });
            if (statusCode !== 200) throw new Error(String(statusCode));
          },
          { within: 120_000, every: 20 },
        );
        acknowledged.push(...batch.map(({ uuid }) => uuid));
      }
    };
    const sending = Promise.all([sender(), sender()]);
    const hasSent = async (count: number) => {
      const enough = acknowledged.length + count;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(enough);
    };
    await hasSent(50);
    const args = ['reshard', '--to', fresh, '--to-cluster', cluster.name];
    expect(await run(args, old)).toMatchObject({ code: 0, errors: '' });
    await hasSent(50);
    expect(await run([...args, '--finish'], old)).toMatchObject({ code: 0, errors: '' });
    const after = await startTestService({ clickhouseUrl: fresh, clickhouseCluster: cluster.name, databaseUrl }, before);
    server = after;
    await hasSent(50);
    isOver = true;
    await sending;
    const query = { kind: 'HogQLQuery', query: "select count(), count(distinct uuid) from events where event = 'moved'" };
    const { results } = (await after.call('POST', `/api/projects/${after.projectId}/query/`, { body: { query } })).json();
    expect(results).toEqual([[acknowledged.length, acknowledged.length]]);
    await after.close();
    await before.close();
  });

  test('refuses places that it cannot or must not use', async () => {
    const old = `${alone.url}/${database()}`;
    const used = `${cluster.url}/${database()}`;
    const from = await open(old);
    await fill(from);
    const to = await open(used, cluster.name);
    await to.insert('events', [eventRow()], { token: randomUUID() });
    const refused = async (target: string, name = cluster.name) =>
      (await run(['reshard', '--to', target, '--to-cluster', name], old)).errors;
    expect(await refused(used)).toMatch(/has events of its own: name an empty or a new one/);
    expect(await refused(old)).toMatch(/Both places are the database/);
    expect(await refused(`${cluster.url}/x`, 'nowhere')).toMatch(/has no cluster "nowhere"/);
    expect(await run(['reshard'], old)).toMatchObject({ code: 2, errors: expect.stringContaining("'--to <url>'") });
    await Promise.all([from.close(), to.close()]);
  });
});

describe('status and check', () => {
  test('of a cluster that is well', async () => {
    const url = `${cluster.url}/${database()}`;
    const store = await open(url, cluster.name);
    await fill(store);
    expect(await run(['check'], url, cluster.name)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/The 3 nodes .* are well/),
    });
    const { output } = await run(['status'], url, cluster.name);
    expect(output).toMatch(
      /3 shards, 3 nodes[\s\S]*2\s+1\s+http:\/\/127\.0\.0\.2:\d+\s+26\.\S+\s+\d+.*well[\s\S]*600 events, [\d.]+ KB/,
    );
    const status = JSON.parse((await run(['status', '--json'], url, cluster.name)).output);
    const counts = status.nodes.map(
      (node: { details: { tables: { events: { rows: number } } } }) => node.details.tables.events.rows,
    );
    expect(counts.reduce((sum: number, count: number) => sum + count)).toBe(600);
    await store.close();

    // each node has the migrations
    const metadata = await testDatabase();
    const env = { DATABASE_URL: metadata.url, CLICKHOUSE_URL: url, CLICKHOUSE_CLUSTER: cluster.name };
    const migrations = await runCommand(['migrate', '--status'], env);
    expect(migrations).toMatchObject({ code: 0, errors: '' });
    expect(migrations.output.match(/^ClickHouse http:\/\/127\.0\.0\.\d:\d+: \d+ applied, the newest \d{4}_/gm)).toHaveLength(3);
    await metadata.close();
  });

  test('name what is wrong, a sentence each', async () => {
    const url = `${cluster.url}/${database()}`;
    await (await open(url, cluster.name)).close();
    const local = `${new URL(url).pathname.slice(1)}_local`;
    const second = cluster.nodes[1];
    await on(second?.url ?? '', `ALTER TABLE ${local}.events ADD COLUMN odd UInt8`);
    await cluster.nodes[2]?.kill9();
    const { code, output, errors } = await run(['check'], url, cluster.name);
    await cluster.nodes[2]?.restart();
    expect([code, errors]).toEqual([1, expect.stringMatching(/^\d faults in the cluster "tests"\.$/m)]);
    expect(output).toMatch(/127\.0\.0\.2:\d+ has the column odd of \w+_local\.events/);
    expect(output).toMatch(/127\.0\.0\.3:\d+ \(shard 3, replica 1\) does not answer: start it; until then/);
    expect(output).toMatch(/127\.0\.0\.1:\d+ cannot read from all shards/);
    expect(await run(['status'], `${cluster.url}/x`)).toMatchObject({
      code: 1,
      errors: 'Set CLICKHOUSE_URL and CLICKHOUSE_CLUSTER as for the service.\n',
    });
  });
});
