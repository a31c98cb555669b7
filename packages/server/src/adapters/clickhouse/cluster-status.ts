import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { type Config, ConfigError } from '../../config.js';
import type { Clock } from '../../ports/system.js';
import { clusterFaults, type NodeState } from './cluster-checks.js';
import { type ConnectedNode, connectNodes, readDefinition, STATE_DEADLINE, stateOf } from './cluster-nodes.js';
import { conditionFaults, differences } from './cluster-report.js';
import { connect, createNodes, type Server } from './nodes.js';
import { createTopology, shardsOf, type Topology } from './topology.js';

/** A table of a node with the rows of its shard. */
export interface TableStatus {
  rows: number;
  /** On the disk, compressed. */
  bytes: number;
  parts: number;
}

/** A table as Keeper and its other replicas see it. */
export interface ReplicaStatus {
  table: string;
  isReadonly: boolean;
  /** Seconds by which it is behind the other replicas. */
  delay: number;
  /** What it has to copy, merge or change. */
  queue: number;
  active: number;
  total: number;
}

/** What a node that answers says of itself. */
export interface NodeDetails {
  version: string;
  /** By name. */
  tables: Readonly<Record<string, TableStatus>>;
  replicas: readonly ReplicaStatus[];
  /** Each column of both databases in words, by `database.table column`. */
  columns: Readonly<Record<string, string>>;
  /** Changes of tables that are not done, and why the latest failed. */
  mutations: { running: number; fault: string };
  /** Files that wait in the node for other shards: nothing that Tidemark inserts does. */
  waitingFiles: number;
  /** Share of the disk that is free. */
  freeDisk: number;
  /** Why it cannot read from all shards; null: it can. */
  fault: string | null;
}

/** A node of the cluster; `details` is null when it does not answer. */
export interface NodeStatus {
  url: string;
  shard: number;
  replica: number;
  details: NodeDetails | null;
}

/** The state of a cluster. */
export interface ClusterStatus {
  cluster: string;
  database: string;
  shards: number;
  isReplicated: boolean;
  nodes: readonly NodeStatus[];
  /** Tables and columns that nodes have differently, a sentence each. */
  differences: readonly string[];
  /** What is wrong, each in one sentence that says what to do. */
  faults: readonly string[];
}

/**
 * Reads the state of the cluster of CLICKHOUSE_CLUSTER from each of its nodes, and changes nothing.
 * @throws ConfigError in one sentence when there is no such cluster, or no server answers
 */
export async function readClusterStatus(config: Config, { clock }: { clock: Clock }): Promise<ClusterStatus> {
  const { clickhouseUrl: address, clickhouseCluster: name, clickhouseQuorum: quorum } = config;
  if (!address || !name) throw new ConfigError('Set CLICKHOUSE_URL and CLICKHOUSE_CLUSTER as for the service.');
  const ca = config.clickhouseAuthority ?? undefined;
  const server = await serverThatAnswers(address, ca);
  const topology = createTopology(name, server.database, await readDefinition(server, { name, ca }));
  const connected = connectNodes(server, topology, ca);
  try {
    const states = await Promise.all(connected.map((one) => stateOf(one, server, topology, { name, ca, clock }).catch(refusal)));
    const answering = states.filter((state): state is NodeState => state !== null && !(state instanceof ConfigError));
    const nodes = await Promise.all(
      connected.map(async (one, index): Promise<NodeStatus> => {
        const { shard, replica } = one.node;
        return { url: one.url, shard, replica, details: states[index] ? await detailsOf(one, server, topology, ca) : null };
      }),
    );
    const refusals = states.filter((state) => state instanceof ConfigError);
    const differing = differences(nodes, topology);
    return {
      cluster: name,
      database: topology.database,
      shards: shardsOf(topology).length,
      isReplicated: topology.isReplicated,
      nodes,
      differences: differing,
      faults: [
        ...[...refusals, ...clusterFaults(topology, quorum, answering)].map(({ message }) => message),
        ...differing,
        ...conditionFaults(nodes, topology),
      ],
    };
  } finally {
    await Promise.all(connected.map(({ client }) => client.close()));
  }
}

function refusal(error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  throw error;
}

/** The first server of an address that answers. @throws ConfigError */
export async function serverThatAnswers(address: string, ca?: Buffer): Promise<Server> {
  const { pino } = await import('pino');
  const nodes = createNodes(address, { log: pino({ level: 'silent' }), ca });
  try {
    if (!(await nodes.choose())) throw new ConfigError(`CLICKHOUSE_URL: no ClickHouse answers at ${nodes.urls.join(' or ')}.`);
    return nodes.current().server;
  } finally {
    await nodes.close();
  }
}

async function detailsOf({ url }: ConnectedNode, server: Server, topology: Topology, ca?: Buffer): Promise<NodeDetails | null> {
  // its databases may not exist yet
  const client = connect({ ...server, url }, 'default', { ca, connections: 4 });
  try {
    return await readDetails(client, topology);
  } catch (error) {
    if (error instanceof ClickHouseError) {
      throw new ConfigError(`${url} does not show its state: ${error.type ?? error.code}. Grant the user SELECT on system.*.`);
    }
    return null;
  } finally {
    await client.close();
  }
}

async function readDetails(client: ClickHouseClient, { cluster, database, local }: Topology): Promise<NodeDetails> {
  const rows = async <Row>(query: string): Promise<Row[]> => {
    const answer = await client.query({
      query,
      query_params: { database, local, cluster },
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0, skip_unavailable_shards: 0 },
      abort_signal: AbortSignal.timeout(STATE_DEADLINE),
    });
    return answer.json<Row>();
  };
  const [[server], tables, replicas, columns, [mutations], [waiting], fault] = await Promise.all([
    rows<{ version: string; free: number }>(
      'SELECT version() AS version, (SELECT min(free_space / total_space) FROM system.disks WHERE total_space > 0) AS free',
    ),
    rows<TableStatus & { table: string }>(
      `SELECT name AS table, ifNull(total_rows, 0) AS rows, ifNull(total_bytes, 0) AS bytes, ifNull(active_parts, 0) AS parts
       FROM system.tables WHERE database = {local:String} AND engine LIKE '%MergeTree' ORDER BY table`,
    ),
    rows<ReplicaStatus>(
      `SELECT table, is_readonly OR is_session_expired AS isReadonly, absolute_delay AS delay, queue_size AS queue,
         active_replicas AS active, total_replicas AS total
       FROM system.replicas WHERE database = {local:String} ORDER BY table`,
    ),
    rows<{ place: string; kind: string }>(
      `SELECT concat(database, '.', table, ' ', name) AS place, concat(type, ' ', default_kind, ' ', default_expression) AS kind
       FROM system.columns WHERE database IN ({database:String}, {local:String}) ORDER BY place`,
    ),
    rows<{ running: number; fault: string }>(
      `SELECT count() AS running, max(latest_fail_reason) AS fault FROM system.mutations
       WHERE database = {local:String} AND NOT is_done`,
    ),
    rows<{ files: number }>('SELECT sum(data_files) AS files FROM system.distribution_queue WHERE database = {database:String}'),
    rows('SELECT count() FROM cluster({cluster:String}, system.one)').then(
      () => null,
      (error: unknown) => (error instanceof ClickHouseError ? (error.type ?? error.code) : 'no answer'),
    ),
  ]);
  return {
    version: server?.version ?? '',
    freeDisk: server?.free ?? 1,
    tables: Object.fromEntries(tables.map(({ table, ...counts }) => [table, counts])),
    replicas: replicas.map((one) => ({ ...one, isReadonly: Boolean(one.isReadonly) })),
    columns: Object.fromEntries(columns.map(({ place, kind }) => [place, kind.trim()])),
    mutations: { running: mutations?.running ?? 0, fault: mutations?.fault ?? '' },
    waitingFiles: waiting?.files ?? 0,
    fault,
  };
}
