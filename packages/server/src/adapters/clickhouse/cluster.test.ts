import {
  type ClickHouseCluster,
  type ClickHouseServer,
  freePort,
  launchClickHouse,
  startClickHouseCluster,
} from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import type { EventsStore } from '../../ports/events.js';
import { eventRow } from '../../testing/events-contract/index.js';
import { createScheduler } from '../system/index.js';
import { clusterFaults, type NodeState } from './cluster-checks.js';
import { openEvents } from './index.js';
import { createTopology } from './topology.js';

const options = { log: pino({ level: 'silent' }), scheduler: createScheduler() };
const HOUR = 3_600_000;

const shard = (hosts: string[], port = '{port}', more = '<internal_replication>true</internal_replication>') => {
  const replicas = hosts.map((host) => `<replica><host>${host}</host><port>${port}</port></replica>`);
  return `<shard>${more}${replicas.join('')}</shard>`;
};
const [FIRST, SECOND, NOBODY] = ['127.0.0.1', '127.0.0.2', '127.0.0.77'];
const clusters = (strayPort: number) => `
  <strayed>${shard([FIRST])}${shard([SECOND], String(strayPort))}</strayed>
  <away>${shard([FIRST])}${shard([NOBODY])}</away>
  <closed>${shard([FIRST])}${shard([SECOND], '1')}</closed>
  <differs>${shard([FIRST])}${shard([SECOND])}${shard(['{host}'])}</differs>
  <copies>${shard([FIRST, SECOND], '{port}', '')}</copies>
  <plain>${shard([FIRST, SECOND])}</plain>`;

let cluster: ClickHouseCluster;
/** Another server on the machine of the second node. */
let stray: ClickHouseServer;
beforeAll(async () => {
  const [httpPort, tcpPort] = [await freePort([SECOND]), await freePort([SECOND])];
  stray = await launchClickHouse({ host: SECOND, httpPort, tcpPort });
  cluster = await startClickHouseCluster({ shards: 2, otherClusters: clusters(tcpPort) });
});
afterAll(() => Promise.all([cluster?.close(), stray?.close()]));

interface Opening {
  name?: string;
  quorum?: string;
  /** Milliseconds by which this machine's clock is ahead. */
  ahead?: number;
}

const open = (database: string, { name = cluster.name, quorum, ahead = 0 }: Opening = {}): Promise<EventsStore> =>
  openEvents(
    loadConfig({ CLICKHOUSE_URL: `${cluster.url}/${database}`, CLICKHOUSE_CLUSTER: name, TIDEMARK_CLICKHOUSE_QUORUM: quorum }),
    { ...options, clock: { now: () => Date.now() + ahead } },
  );

describe('the rows of a cluster', () => {
  const on = async (url: string, sql: string): Promise<number> => {
    const response = await fetch(url, { method: 'POST', body: sql });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return Number(text);
  };

  test('are on its shards, those of a distinct id with its merge on one', async () => {
    const store = await open('spread');
    const ids = Array.from({ length: 100 }, (_, number) => `id ${number}`);
    await store.insert(
      'events',
      ids.map((distinct_id) => eventRow({ project_id: 1, distinct_id })),
      { token: 'a' },
    );
    const person_id = '00000000-0000-4000-8000-000000000001';
    const merges = ids.map((distinct_id) => ({ project_id: 1, distinct_id, person_id, version: 1 }));
    await store.insert('person_overrides', merges, { token: 'b' });
    const counts = [];
    for (const { url } of cluster.nodes) {
      counts.push(await on(url, 'SELECT count() FROM spread_local.events'));
      const merged =
        'SELECT count() FROM spread_local.events WHERE distinct_id IN (SELECT distinct_id FROM spread_local.person_overrides)';
      expect(await on(url, merged)).toBe(counts.at(-1));
    }
    expect(counts.reduce((sum, count) => sum + count)).toBe(100);
    expect(Math.min(...counts)).toBeGreaterThan(20);
    await store.close();
  });

  test('are stored once and all, also if a shard is away at first', async () => {
    const store = await open('once');
    const rows = Array.from({ length: 100 }, (_, number) => eventRow({ project_id: 1, distinct_id: `id ${number}` }));
    await cluster.nodes[1]?.kill9();
    await expect(store.insert('events', rows, { token: 'a' })).rejects.toMatchObject({ name: 'EventsUnavailable' });
    await expect(store.query({ sql: 'SELECT count() FROM events' })).rejects.toMatchObject({ name: 'EventsUnavailable' });
    await cluster.nodes[1]?.restart();
    for (let time = 1; time <= 2; time++) await store.insert('events', rows, { token: 'a' });
    const { rows: found } = await store.query({ sql: 'SELECT count() AS n, uniq(uuid) AS uuids FROM events' });
    expect(found).toEqual([{ n: 100, uuids: 100 }]);
    await store.close();
  });

  test('get the columns of a newer schema', async () => {
    await (await open('older')).close();
    await on(cluster.url, 'ALTER TABLE older_local.events ADD COLUMN newer UInt8 DEFAULT 7 FORMAT Null');
    await on(cluster.nodes[1]?.url ?? '', 'ALTER TABLE older_local.events ADD COLUMN newer UInt8 DEFAULT 7 FORMAT Null');
    const store = await open('older');
    await store.insert('events', [eventRow()], { token: 'a' });
    expect((await store.query({ sql: 'SELECT newer FROM events' })).rows).toEqual([{ newer: 7 }]);
    await store.close();
  });
});

describe('a start says in one sentence', () => {
  test.each<[string, Opening, RegExp]>([
    ['that there is no such cluster', { name: 'other' }, /has no cluster "other".* it knows away, closed, .*tests/],
    ['that nothing answers for a shard', { name: 'away' }, /no node of shard 2 answers at http:\/\/127\.0\.0\.77:\d+: start it/],
    [
      'that nodes do not reach each other',
      { name: 'closed' },
      /cannot read from all shards of "closed" \([A-Z_]+\): let all nodes/,
    ],
    [
      'that a shard has no table',
      { name: 'strayed' },
      /shard 2 has no table refused_local\.events, as http:\/\/127\.0\.0\.1:\d+ sees it: let host and port of 127\.0\.0\.2 in <remote_servers>/,
    ],
    [
      'that nodes define the cluster differently',
      { name: 'differs' },
      /127\.0\.0\.2:\d+ defines "differs" otherwise than .*127\.0\.0\.1/,
    ],
    ['that replicas would get rows twice', { name: 'copies' }, /"copies" needs <internal_replication>true/],
    ['that macros are missing', { name: 'plain' }, /http:\/\/127\.0\.0\.1:\d+ has no macro "shard": give each node/],
    [
      'that the quorum is too large',
      { quorum: '2' },
      /QUORUM is 2, and shard 1 of the cluster "tests" has one replica: set 1 at most/,
    ],
    ['that clocks are apart', { ahead: HOUR }, /the clock of http:\/\/127\.0\.0\.1:\d+ is 3\d{3} s behind this machine's/],
  ])('%s', async (_, opening, sentence) => {
    await expect(open('refused', opening)).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(sentence),
    });
  });

  test('that clocks of two nodes are apart, each by less than the limit from this one', () => {
    const stateOf = (shard: number, ahead: number): NodeState => ({
      url: `http://node-${shard}:8123`,
      node: { shard, replica: 1, host: `node-${shard}` },
      definition: [],
      macros: {},
      ahead,
      hasTables: false,
    });
    const states = [stateOf(1, 0), stateOf(2, 40_000), stateOf(3, -50_000)];
    const topology = createTopology(
      'tests',
      'any',
      states.map(({ node }) => node),
    );
    const faults = (of: NodeState[]) => [...clusterFaults(topology, 0, of)].map(({ message }) => message);
    expect(faults(states)).toEqual([
      'CLICKHOUSE_CLUSTER: the clock of http://node-2:8123 is 90 s ahead of that of http://node-3:8123: let NTP set the clocks of all machines.',
    ]);
    expect(faults([stateOf(1, 0), stateOf(2, 40_000), stateOf(3, -10_000)])).toEqual([]);
  });

  test('that a database has the tables of a single server, or of a cluster', async () => {
    const alone = (name: string) => openEvents(loadConfig({ CLICKHOUSE_URL: `${cluster.url}/${name}` }), options);
    await (await alone('single')).close();
    await expect(open('single')).rejects.toMatchObject({ message: expect.stringMatching(/has the tables of a single server/) });
    await (await open('shared')).close();
    await expect(alone('shared')).rejects.toMatchObject({
      message: expect.stringMatching(/are on a cluster: set CLICKHOUSE_CLUSTER/),
    });
  });
});
