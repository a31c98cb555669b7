import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ClickHouseCluster, startClickHouseCluster, whyNoReplicas } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import type { MeasuredUnit } from '../../ports/event-copies.js';
import type { EventsStore } from '../../ports/events.js';
import { eventRow, personRow } from '../../testing/events-contract/index.js';
import { createScheduler } from '../system/index.js';
import { loadClusterCommands, openEvents } from './index.js';

/*
 * The user of deploy/cluster/clickhouse/users.xml, on servers as strict as ClickHouse's own configuration makes them. Without replicas the grants for these
 * are not tried.
 */
const reason = whyNoReplicas();
if (reason) console.log(`Grants for replicas are not tested. ${reason}`);

const STRICT = `<access_control_improvements>
  <select_from_system_db_requires_grant>true</select_from_system_db_requires_grant>
  <select_from_information_schema_requires_grant>true</select_from_information_schema_requires_grant>
  <table_engines_require_grant>true</table_engines_require_grant>
  <on_cluster_queries_require_cluster_grant>true</on_cluster_queries_require_cluster_grant>
  <users_without_row_policies_can_read_rows>true</users_without_row_policies_can_read_rows>
  <settings_constraints_replace_previous>true</settings_constraints_replace_previous>
</access_control_improvements>`;
const PASSWORD = 'a long password';
const FILE = await readFile(new URL('../../../../../deploy/cluster/clickhouse/users.xml', import.meta.url), 'utf8');
const [USER = ''] = FILE.match(/<tidemark>[\s\S]*<\/tidemark>/) ?? [];

/** A privilege on one thing, as a `GRANT` lists several. */
const grants = [...USER.matchAll(/<query>GRANT (.*) ON (.*)<\/query>/g)].flatMap(([, privileges = '', on = '']) =>
  privileges.split(', ').map((privilege) => ({ privilege, on })),
);
const databaseWithout = (index: number) => `without_${index}`;
/** The same user under another name, with a database of that name, and without one of the grants. */
const userWithout = (index: number): string => {
  const left = grants
    .filter((_, other) => other !== index)
    .map(({ privilege, on }) => `<query>GRANT ${privilege} ON ${on}</query>`);
  const name = databaseWithout(index);
  return USER.replace(/<grants>[\s\S]*<\/grants>/, `<grants>${left.join('')}</grants>`)
    .replace(/(<\/?)tidemark>/g, `$1${name}>`)
    .replace(/ON tidemark/g, `ON ${name}`);
};
const ADMIN =
  '<default><password/><networks><ip>127.0.0.0/8</ip></networks><profile>default</profile><quota>default</quota></default>';

let cluster: ClickHouseCluster;
beforeAll(async () => {
  cluster = await startClickHouseCluster({
    shards: 2,
    replicas: reason ? 1 : 2,
    memory: 768 * 1024 * 1024,
    secret: 'of the nodes',
    config: STRICT,
    users: `${ADMIN}${USER}${grants.map((_, index) => userWithout(index)).join('')}`,
    env: { CLICKHOUSE_PASSWORD: PASSWORD },
  });
  // as one of ClickHouse's own logs, which the test servers do not keep
  for (const body of [
    'CREATE TABLE system.test_log (a UInt8) ENGINE = MergeTree ORDER BY a',
    'INSERT INTO system.test_log SELECT 1',
  ]) {
    const answer = await fetch(cluster.url, { method: 'POST', body });
    if (!answer.ok) throw new Error(await answer.text());
  }
});
afterAll(() => cluster?.close());

/** Starts nodes again that ended: the library of the test servers does so when a connection between them breaks. */
async function restartEnded(): Promise<void> {
  for (const node of cluster.nodes) {
    const isThere = await fetch(`${node.url}/ping`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isThere) await node.restart();
  }
}

const configOf = (user: string) => {
  const url = new URL(`${cluster.url}/${user}`);
  url.username = user;
  url.password = encodeURIComponent(PASSWORD);
  return loadConfig({ CLICKHOUSE_URL: url.href, CLICKHOUSE_CLUSTER: cluster.name });
};
const open = (user: string): Promise<EventsStore> =>
  openEvents(configOf(user), { log: pino({ level: 'silent' }), scheduler: createScheduler(), clock: { now: () => Date.now() } });

/** All that a service does with its store, and `tidemark cluster check`. */
async function useStore(user: string, timeout = 60_000): Promise<void> {
  const store = await open(user);
  try {
    const token = randomUUID;
    const person_id = randomUUID();
    const ids = Array.from({ length: 20 }, (_, number) => `id ${number}`);
    const events = ids.map((distinct_id) => eventRow({ project_id: 1, distinct_id }));
    await store.insert('events', events, { token: token() });
    await store.insert('persons', [personRow({ project_id: 1, person_id, version: 1 })], { token: token() });
    await store.insert('person_overrides', [{ project_id: 1, distinct_id: 'id 1', person_id, version: 1 }], { token: token() });
    const group = { project_id: 1, group_type_index: 0, group_key: 'acme', properties: {}, created_at: 0, version: 1 };
    await store.insert('groups', [group], { token: token() });
    const { rows } = await store.query({ sql: 'SELECT count() AS n FROM events WHERE project_id = 1' });
    expect(rows).toEqual([{ n: 20 }]);
    expect((await store.dataVersion(1)).whole).not.toBe('');
    const { eventBytes, logBytes } = await store.space();
    expect(Math.min(eventBytes, logBytes)).toBeGreaterThan(0);
    await mustStopReads(store, user, timeout);
    if (store.replicas) await expect.poll(() => store.replicas?.waiting(), { timeout, interval: 250 }).toBe(0);

    const until = Date.now() + 60_000;
    const ended = async (deletion: () => Promise<boolean>) => {
      await expect.poll(deletion, { timeout, interval: 250 }).toBe(true);
    };
    await ended(() => store.deleteEvents(1, [{ distinctIds: ['id 1'], until }]));
    await ended(() => store.deleteProfiles(1, [{ personIds: [person_id], distinctIds: ['id 1'], until }]));
    await ended(() => store.deleteEventsBefore([{ projectId: 1, before: Date.UTC(2000) }]));
    const units = await store.copies.units();
    await copyBack(store, units);
    for (const unit of units) await store.copies.clear(unit);
    await ended(() => store.deleteProject(1));
  } finally {
    await store.close();
  }
  await (await open(user)).close();
  const { readStatus } = await loadClusterCommands();
  const { faults } = await readStatus(configOf(user), { clock: { now: () => Date.now() } });
  expect(faults.filter((fault) => !/disk|deletion/i.test(fault))).toEqual([]);
}

/** Takes each unit as a backup does, and inserts it again as a restore does. */
async function copyBack({ copies }: EventsStore, units: readonly MeasuredUnit[]): Promise<void> {
  const snapshot = await copies.snapshot(async () => {});
  try {
    for (const one of units) {
      const { unit, content } = await snapshot.take(one);
      expect(unit.rows).toBe(one.rows);
      const bytes = await buffer(content);
      await copies.clear(unit);
      await copies.load(unit, snapshot.columns(unit.table), Readable.from([bytes]));
    }
    expect((await copies.units()).map(({ rows }) => rows)).toEqual(units.map(({ rows }) => rows));
  } finally {
    await snapshot.close();
  }
}

/** @throws Error when a statement goes on after its caller has gone */
async function mustStopReads(store: EventsStore, user: string, timeout: number): Promise<void> {
  const stop = new AbortController();
  const reading = store.query({
    sql: 'SELECT sleepEachRow(0.1) FROM numbers(600) SETTINGS max_block_size = 1',
    signal: stop.signal,
  });
  const running = async () => {
    const body = `SELECT count() FROM system.processes WHERE user = '${user}' AND query LIKE 'SELECT sleepEachRow%'`;
    return (await fetch(cluster.url, { method: 'POST', body })).text();
  };
  await expect.poll(running).toBe('1\n');
  stop.abort();
  await reading.catch(() => {});
  await expect.poll(running, { timeout, interval: 250 }).toBe('0\n');
}

test('the user can do all that Tidemark does', async () => {
  expect(grants.length).toBeGreaterThan(10);
  await useStore('tidemark');
});

describe('something fails without the grant', () => {
  const ofReplicas = (on: string) => on === 'system.replication_queue';
  const tried = grants.map((grant, index) => ({ ...grant, index })).filter(({ on }) => !reason || !ofReplicas(on));
  test.each(tried)('$privilege on $on', async ({ index }) => {
    await restartEnded();
    const error = await useStore(databaseWithout(index), 10_000).then(() => 'none', String);
    expect(error).not.toBe('none');
  });
});
