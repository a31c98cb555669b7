import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import type { Logger } from 'pino';
import { ConfigError } from '../../config.js';
import { retryWhile } from '../../kernel/scheduler.js';
import { checkCluster, checkName, type DefinedNode, type NodeState } from './cluster-checks.js';
import { makeNodeTables } from './cluster-schema.js';
import { connect, isAway, type Server } from './nodes.js';
import { type EventsOptions, WRITE_DEADLINE } from './settings.js';
import { type ClusterNode, createTopology, type Quorum, shardsOf, shardsWithTables, type Topology } from './topology.js';

/** Milliseconds in which a node must say what it is. */
const STATE_DEADLINE = 10_000;

/** A cluster whose nodes have the tables. */
export interface Cluster {
  topology: Topology;
  /** Runs a statement on the tables with the rows, on one replica of each shard. */
  alter(sql: string): Promise<void>;
  close(): Promise<void>;
}

interface ClusterOptions extends EventsOptions {
  name: string;
  quorum: Quorum;
  /** The certificate authority of the servers; undefined: those that Node.js knows. */
  ca?: Buffer | undefined;
}

interface Connected {
  node: ClusterNode;
  url: string;
  client: ClickHouseClient;
}

/**
 * Finds the nodes of a cluster by its definition on the server, and makes the tables on each. A node is reached by its host name there and
 * the protocol and port of the server's address.
 * @throws ConfigError in one sentence when the cluster cannot be used
 */
export async function openCluster(server: Server, options: ClusterOptions): Promise<Cluster> {
  const { name, quorum, log, scheduler, ca } = options;
  const nodes = await retryWhile(scheduler, isAway, () => readDefinition(server, options));
  const topology = createTopology(name, server.database, nodes);
  const connected = nodes.map((node): Connected => {
    const url = urlOf(server, node);
    return { node, url, client: connect({ ...server, url }, topology.local, { ca, connections: 4 }) };
  });
  const close = async () => {
    await Promise.all(connected.map(({ client }) => client.close()));
  };
  try {
    const states = await Promise.all(connected.map((one) => stateOf(one, server, options)));
    requireShards(topology, connected, states, log);
    const answering = states.filter((state) => state !== null);
    checkCluster(topology, quorum, answering);
    const reached = connected.filter(({ url }) => answering.some((state) => state.url === url));
    // replicas in turn: they change one table
    await Promise.all(
      shardsOf(topology).map(async (shard) => {
        let replica: ClickHouseClient | null = null;
        for (const { client, url } of reached.filter((one) => shard.includes(one.node))) {
          await makeNodeTables({ server: { ...server, url }, client, replica, topology, log, scheduler, ca });
          replica = client;
        }
      }),
    );
    await requireTables(server, topology, ca);
    return { topology, alter: (sql) => alterShards(topology, connected, sql), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The nodes as the server defines them. @throws ConfigError when it does not know the cluster */
async function readDefinition(server: Server, { name, ca }: ClusterOptions): Promise<ClusterNode[]> {
  const client = connect(server, 'default', { ca, connections: 1 });
  try {
    const answer = await client.query({
      query:
        'SELECT cluster, shard_num AS shard, replica_num AS replica, host_name AS host FROM system.clusters ORDER BY 1, 2, 3',
      format: 'JSONEachRow',
      abort_signal: AbortSignal.timeout(STATE_DEADLINE),
    });
    const rows = await answer.json<ClusterNode & { cluster: string }>();
    checkName(name, server.url, [...new Set(rows.map(({ cluster }) => cluster))]);
    return rows.filter(({ cluster }) => cluster === name).map(({ shard, replica, host }) => ({ shard, replica, host }));
  } finally {
    await client.close();
  }
}

function urlOf(server: Server, { host }: ClusterNode): string {
  const url = new URL(server.url);
  url.hostname = host.includes(':') ? `[${host}]` : host;
  return url.origin;
}

/** What the node says of itself; null when it does not answer. */
async function stateOf({ node, url }: Connected, server: Server, { name, ca, clock }: ClusterOptions): Promise<NodeState | null> {
  const client = connect({ ...server, url }, 'default', { ca, connections: 1 });
  const begun = clock?.now();
  try {
    const answer = await client.query({
      query: `SELECT toUnixTimestamp64Milli(now64(3)) AS now,
        (SELECT groupArray((toString(macro), toString(substitution))) FROM system.macros) AS macros,
        (SELECT groupArray((shard_num, replica_num, host_name, internal_replication))
          FROM (SELECT * FROM system.clusters WHERE cluster = {name:String} ORDER BY shard_num, replica_num)) AS definition`,
      query_params: { name },
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
      abort_signal: AbortSignal.timeout(STATE_DEADLINE),
    });
    const [row] = await answer.json<{
      now: number;
      macros: [name: string, value: string][];
      definition: [shard: number, replica: number, host: string, internal: number][];
    }>();
    if (!row) return null;
    const definition = row.definition.map(
      ([shard, replica, host, internal]): DefinedNode => ({ shard, replica, host, internalReplication: internal === 1 }),
    );
    // the node read its clock in the middle
    const ahead = clock && begun !== undefined ? row.now - (begun + clock.now()) / 2 : 0;
    return { url, node, definition, macros: Object.fromEntries(row.macros), ahead };
  } catch (error) {
    if (error instanceof ClickHouseError) {
      throw new ConfigError(`CLICKHOUSE_CLUSTER: ${url} refuses to describe itself: ${error.type ?? error.code}.`);
    }
    return null;
  } finally {
    await client.close();
  }
}

/** Reads need one replica of each shard. */
function requireShards(
  topology: Topology,
  nodes: readonly Connected[],
  states: readonly (NodeState | null)[],
  log: Logger,
): void {
  const silent = nodes.filter((_, index) => !states[index]);
  for (const shard of shardsOf(topology)) {
    const away = silent.filter(({ node }) => shard.includes(node));
    if (away.length < shard.length) continue;
    throw new ConfigError(
      `CLICKHOUSE_CLUSTER: no node of shard ${shard[0]?.shard} answers at ${away.map(({ url }) => url).join(' or ')}: start it, or name nodes in <remote_servers> as this machine reaches them, with the port of CLICKHOUSE_URL.`,
    );
  }
  for (const { url } of silent)
    log.warn({ node: url }, 'a node of the ClickHouse cluster does not answer; its tables are not migrated');
}

/** Checks that the server finds the tables of each shard by the native protocol, by which Distributed tables are read. */
async function requireTables(server: Server, topology: Topology, ca?: Buffer): Promise<void> {
  const client = connect(server, server.database, { ca, connections: 1 });
  try {
    const answer = await client.query({
      query: shardsWithTables(topology),
      query_params: { local: topology.local },
      format: 'JSONEachRow',
      abort_signal: AbortSignal.timeout(STATE_DEADLINE),
    });
    const found = new Set((await answer.json<{ shard: number }>()).map(({ shard }) => shard));
    const without = shardsOf(topology).find(([node]) => node && !found.has(node.shard))?.[0];
    if (!without) return;
    throw new ConfigError(
      `CLICKHOUSE_CLUSTER: shard ${without.shard} has no table ${topology.local}.events, as ${server.url} sees it: let host and port of ${without.host} in <remote_servers> lead to the same server as the port of CLICKHOUSE_URL.`,
    );
  } catch (error) {
    if (!(error instanceof ClickHouseError)) throw error;
    throw new ConfigError(
      `CLICKHOUSE_CLUSTER: ${server.url} cannot read from all shards of "${topology.cluster}" (${error.type ?? error.code}): let all nodes reach each other by the ports in <remote_servers>.`,
    );
  } finally {
    await client.close();
  }
}

async function alterShards(topology: Topology, nodes: readonly Connected[], sql: string): Promise<void> {
  await Promise.all(
    shardsOf(topology).map(async (shard) => {
      const replicas = nodes.filter(({ node }) => shard.includes(node));
      for (const [index, { client }] of replicas.entries()) {
        try {
          await client.command({ query: sql, abort_signal: AbortSignal.timeout(WRITE_DEADLINE) });
          return;
        } catch (error) {
          if (!isAway(error) || index === replicas.length - 1) throw error;
        }
      }
    }),
  );
}
