import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseCluster, randomFrom, startClickHouseCluster, webEventMaker } from '@tidemark/testkit';
import { pino } from 'pino';
import { openEvents } from '../../../packages/server/dist/adapters/clickhouse/index.js';
import { createScheduler } from '../../../packages/server/dist/adapters/system/index.js';
import { querySchema, runQuery } from '../../../packages/server/dist/analytics/index.js';
import { loadConfig } from '../../../packages/server/dist/config.js';
import { validate } from '../../../packages/server/dist/http/validate.js';
import type { EventRow, EventsStore } from '../../../packages/server/dist/ports/events.js';
import { KINDS } from '../query-kinds.js';
import { seedStatements } from '../query-seed.js';
import { cpuByNode, onAll, othersReceived, post, receivedBytes, sum } from './nodes.js';

const PROJECT = 1;
const EMPTY_PROJECT = 3;
const PERSONS = 200_000;
const DATABASE = 'costs';
/** A query is repeated for that long at least, because processor time is counted in hundredths of a second; milliseconds. */
const LONG_ENOUGH = 1_500;
/** How long the nodes are watched while nobody queries them, milliseconds. */
const REST = 5_000;
/** Rows that are inserted for each size of inserts. */
const INSERTED = 40_000;
const SIZES = [1_000, 4_000];
/** The kinds that are measured, in the order of the list. */
const MEASURED = /^trend, (events a day|persons a day|events by browser)|^(funnel|retention|lifecycle|stickiness|paths)/;

export interface QueryCost {
  name: string;
  /** Milliseconds of processor time of all nodes. */
  cpu: number;
  /** Milliseconds of processor time of a node that only answers for its rows; of the one node if there is one. */
  perShard: number;
  /** As `perShard`, for a project without events: what a shard costs before it reads a row. */
  fixed: number;
  /** Share of the node that takes the query. */
  coordinator: number;
  /** Bytes that the coordinator receives from the others. */
  wire: number;
}

/** What an event costs by inserts of one size. */
export interface InsertCost {
  /** Events of an insert. */
  size: number;
  /** Microseconds of processor time of all nodes. */
  cpu: number;
  /** Share of the node that takes the insert. */
  coordinator: number;
  /** Bytes between nodes. */
  wire: number;
}

export interface ShardCosts {
  shards: number;
  /** Events that the queries read. */
  events: number;
  inserts: InsertCost[];
  queries: QueryCost[];
  /** Bytes an event. */
  disk: number;
}

interface Measured {
  shards: number;
  events: number;
  /** Part of the names of the queries; empty: all. Inserts are measured with all queries alone. */
  only: string;
}

/** Measures a cluster of nodes that use one thread for a query, so that all of them together fit the machine. */
export async function clusterCosts({ shards, events, only }: Measured): Promise<ShardCosts> {
  const cluster = await startClickHouseCluster({ shards, memory: 2 * 1024 ** 3 });
  const config = loadConfig({ CLICKHOUSE_URL: `${cluster.url}/${DATABASE}`, CLICKHOUSE_CLUSTER: cluster.name });
  const store = await openEvents(config, { log: pino({ level: 'silent' }), scheduler: createScheduler() });
  try {
    for (const sql of seedStatements({ projectId: PROJECT, events, persons: PERSONS, now: Date.now() })) await run(cluster, sql);
    const disk = await onAll(
      cluster,
      `SELECT sum(bytes_on_disk) FROM system.parts WHERE database = '${DATABASE}_local' AND table = 'events' AND active`,
    );
    for (const { url } of cluster.nodes) await post(url, 'SYSTEM STOP MERGES');
    const idle = await atRest(cluster);
    const queries: QueryCost[] = [];
    for (const kind of KINDS.filter(({ name }) => MEASURED.test(name) && name.includes(only))) {
      queries.push(await costOfQuery({ cluster, store, idle }, kind));
    }
    const inserts: InsertCost[] = [];
    for (const size of only ? [] : SIZES) inserts.push(await costOfInserts(cluster, store, size));
    return { shards, events, inserts, queries, disk: disk / events };
  } finally {
    await store.close();
    await cluster.close();
  }
}

/** What queries are measured on. */
interface Place {
  cluster: ClickHouseCluster;
  store: EventsStore;
  /** Seconds of processor time that each node uses each second without any query: it grows with the time that others take from the machine. */
  idle: readonly number[];
}

async function atRest(cluster: ClickHouseCluster): Promise<number[]> {
  await sleep(REST / 5);
  const [before, begun] = [await cpuByNode(cluster), performance.now()];
  await sleep(REST);
  const seconds = (performance.now() - begun) / 1_000;
  return (await cpuByNode(cluster)).map((cpu, node) => (cpu - (before[node] ?? 0)) / seconds);
}

async function costOfQuery({ store, ...place }: Place, kind: (typeof KINDS)[number]): Promise<QueryCost> {
  const query = validate(querySchema, kind.query);
  const ask = (projectId: number) => () => runQuery(store, query, { projectId, timezone: 'UTC', now: Date.now() });
  const { used, wire } = await useOf(place, ask(PROJECT));
  const empty = await useOf(place, ask(EMPTY_PROJECT));
  const cpu = sum(used);
  return {
    name: kind.name,
    cpu,
    perShard: ofAShard(used),
    fixed: ofAShard(empty.used),
    coordinator: (used[0] ?? 0) / cpu,
    wire,
  };
}

/** The cost of a node that only answers for its rows; of the one node if there is one. */
const ofAShard = ([first = 0, ...others]: readonly number[]): number => (others.length > 0 ? sum(others) / others.length : first);

/** Milliseconds of processor time of each node and bytes that the first one receives, for one run. */
async function useOf(
  { cluster, idle }: Omit<Place, 'store'>,
  once: () => Promise<unknown>,
): Promise<{ used: number[]; wire: number }> {
  await once();
  const [before, received] = [await cpuByNode(cluster), await receivedBytes(cluster, 0)];
  const begun = performance.now();
  let times = 0;
  for (; times < 3 || performance.now() - begun < LONG_ENOUGH; times++) await once();
  const seconds = (performance.now() - begun) / 1_000;
  const used = (await cpuByNode(cluster)).map(
    (cpu, node) => ((cpu - (before[node] ?? 0) - seconds * (idle[node] ?? 0)) / times) * 1_000,
  );
  return { used, wire: ((await receivedBytes(cluster, 0)) - received) / times };
}

async function costOfInserts(cluster: ClickHouseCluster, store: EventsStore, size: number): Promise<InsertCost> {
  const make = webEventMaker(1, 10_000);
  const random = randomFrom(1);
  const rows = () =>
    Array.from({ length: size }, (): EventRow => {
      const { uuid, event, distinct_id, properties } = make();
      const [now, groups] = [Date.now(), { group_0: '', group_1: '', group_2: '', group_3: '', group_4: '' }];
      const row = { uuid, event, distinct_id, person_id: randomUUID(), person_mode: 'full' as const, elements_chain: '' };
      return {
        ...row,
        ...groups,
        project_id: 2,
        timestamp: now - Math.floor(random() * 1e6),
        inserted_at: now,
        properties: properties as EventRow['properties'],
      };
    });
  await store.insert('events', rows(), { token: randomUUID() });
  const batches = Array.from({ length: INSERTED / size }, rows);
  const [before, received] = [await cpuByNode(cluster), await othersReceived(cluster)];
  for (const batch of batches) await store.insert('events', batch, { token: randomUUID() });
  const used = (await cpuByNode(cluster)).map((cpu, node) => cpu - (before[node] ?? 0));
  return {
    size,
    cpu: (sum(used) / INSERTED) * 1e6,
    coordinator: (used[0] ?? 0) / sum(used),
    wire: ((await othersReceived(cluster)) - received) / INSERTED,
  };
}

const run = ({ url }: ClickHouseCluster, sql: string): Promise<string> =>
  post(`${url}/?database=${DATABASE}&distributed_foreground_insert=1`, sql);
