import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { ConfigError } from '../../config.js';
import type { Clock } from '../../ports/system.js';
import { checkName, type DefinedNode, type NodeState } from './cluster-checks.js';
import { connect, type Server } from './nodes.js';
import type { ClusterNode, Topology } from './topology.js';

/** Milliseconds in which a node must say what it is. */
export const STATE_DEADLINE = 10_000;

/** A node with connections to its database of rows. */
export interface ConnectedNode {
  node: ClusterNode;
  url: string;
  client: ClickHouseClient;
}

interface DefinitionOptions {
  /** Of the cluster. */
  name: string;
  ca?: Buffer | undefined;
}

/** Connects to the nodes of a cluster, each by its host name there and the protocol, port and user of the server's address. */
export const connectNodes = (server: Server, { nodes, local }: Topology, ca?: Buffer): ConnectedNode[] =>
  nodes.map((node) => {
    const url = urlOf(server, node);
    return { node, url, client: connect({ ...server, url }, local, { ca, connections: 4 }) };
  });

/** The nodes as the server defines them. @throws ConfigError when it does not know the cluster */
export async function readDefinition(server: Server, { name, ca }: DefinitionOptions): Promise<ClusterNode[]> {
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
export async function stateOf(
  { node, url }: ConnectedNode,
  server: Server,
  { local }: Pick<Topology, 'local'>,
  { name, ca, clock }: DefinitionOptions & { clock?: Clock | undefined },
): Promise<NodeState | null> {
  const client = connect({ ...server, url }, 'default', { ca, connections: 1 });
  const begun = clock?.now();
  try {
    const answer = await client.query({
      query: `SELECT toUnixTimestamp64Milli(now64(3)) AS now,
        (SELECT count() FROM system.tables WHERE database = {local:String} AND name = 'events') AS tables,
        (SELECT groupArray((toString(macro), toString(substitution))) FROM system.macros) AS macros,
        (SELECT groupArray((shard_num, replica_num, host_name, internal_replication))
          FROM (SELECT * FROM system.clusters WHERE cluster = {name:String} ORDER BY shard_num, replica_num)) AS definition`,
      query_params: { name, local },
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
      abort_signal: AbortSignal.timeout(STATE_DEADLINE),
    });
    const [row] = await answer.json<{
      now: number;
      tables: number;
      macros: [name: string, value: string][];
      definition: [shard: number, replica: number, host: string, internal: number][];
    }>();
    if (!row) return null;
    const definition = row.definition.map(
      ([shard, replica, host, internal]): DefinedNode => ({ shard, replica, host, internalReplication: internal === 1 }),
    );
    // the node read its clock in the middle
    const ahead = clock && begun !== undefined ? row.now - (begun + clock.now()) / 2 : 0;
    return { url, node, definition, macros: Object.fromEntries(row.macros), ahead, hasTables: row.tables > 0 };
  } catch (error) {
    if (error instanceof ClickHouseError) {
      throw new ConfigError(`CLICKHOUSE_CLUSTER: ${url} refuses to describe itself: ${error.type ?? error.code}.`);
    }
    return null;
  } finally {
    await client.close();
  }
}
