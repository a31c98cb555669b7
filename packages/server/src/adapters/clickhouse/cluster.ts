import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import type { Logger } from 'pino';
import { ConfigError } from '../../config.js';
import { retryWhile } from '../../kernel/scheduler.js';
import type { EventReplicas } from '../../ports/events.js';
import { checkCluster, type NodeState } from './cluster-checks.js';
import { type ConnectedNode, connectNodes, readDefinition, STATE_DEADLINE, stateOf } from './cluster-nodes.js';
import { makeNodeTables } from './cluster-schema.js';
import { connect, isAway, type Server } from './nodes.js';
import { createReplicas } from './replicas.js';
import { type EventsOptions, WRITE_DEADLINE } from './settings.js';
import { createTopology, type Quorum, shardsOf, shardsWithTables, type Topology } from './topology.js';

/** A cluster whose nodes have the tables. */
export interface Cluster {
  topology: Topology;
  /** Runs a statement on the tables with the rows, on one replica of each shard. */
  alter(sql: string): Promise<void>;
  /** Null: each shard has one node. */
  replicas: EventReplicas | null;
  close(): Promise<void>;
}

interface ClusterOptions extends EventsOptions {
  name: string;
  quorum: Quorum;
  /** The certificate authority of the servers; undefined: those that Node.js knows. */
  ca?: Buffer | undefined;
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
  const connected = connectNodes(server, topology, ca);
  const close = async () => {
    await Promise.all(connected.map(({ client }) => client.close()));
  };
  try {
    const states = await Promise.all(connected.map((one) => stateOf(one, server, topology, options)));
    requireShards(topology, connected, states, log);
    const answering = states.filter((state) => state !== null);
    const has = ({ url }: ConnectedNode) => answering.some((state) => state.url === url && state.hasTables);
    checkCluster(topology, quorum, answering);
    // replicas in turn, because they change one table; those that have it first, because a new one gets it as it is there
    const reached = connected
      .filter(({ url }) => answering.some((state) => state.url === url))
      .sort((one, other) => Number(has(other)) - Number(has(one)));
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
    return {
      topology,
      alter: (sql) => alterShards(topology, connected, sql),
      replicas: topology.isReplicated ? createReplicas(topology, quorum, connected, scheduler) : null,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reads need one replica of each shard. */
function requireShards(
  topology: Topology,
  nodes: readonly ConnectedNode[],
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

/** Runs a statement on the first replica of each shard that answers. */
export async function alterShards(topology: Topology, nodes: readonly ConnectedNode[], sql: string): Promise<void> {
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
