import { randomBytes } from 'node:crypto';
import { ClickHouseError } from '@clickhouse/client';
import { ConfigError } from '../../config.js';
import { type ConnectedNode, connectNodes, readDefinition } from './cluster-nodes.js';
import { serverThatAnswers } from './cluster-status.js';
import type { Settings } from './engine/protocol.js';
import { connect, type Server } from './nodes.js';
import { quoteText } from './sql-literals.js';
import { clusterSettings, createTopology, type Quorum, type Topology } from './topology.js';

/** Where tables are: on a cluster, or on one server. */
export interface Place {
  /** Several hosts may be named. */
  address: string;
  cluster: string | null;
}

/** A place with connections to it. */
export interface Side {
  server: Server;
  topology: Topology | null;
  /** The nodes; of a single server it is the one. Each has connections to the database with the rows. */
  nodes: readonly ConnectedNode[];
  rows<Row>(query: string, params?: Record<string, unknown>): Promise<Row[]>;
  run(query: string, settings?: Settings): Promise<void>;
  close(): Promise<void>;
}

const MINUTE = 60_000;
/** Milliseconds that a comparison or a copy of one month may take. */
const LONG = 12 * 60 * MINUTE;

/** Opens a place as it is: makes no tables. @throws ConfigError */
export async function openSide({ address, cluster }: Place, quorum: Quorum, ca?: Buffer): Promise<Side> {
  const server = await serverThatAnswers(address, ca);
  const topology = cluster ? createTopology(cluster, server.database, await readDefinition(server, { name: cluster, ca })) : null;
  const client = connect(server, server.database, { ca, connections: 4 });
  const nodes = topology
    ? connectNodes(server, topology, ca)
    : [{ node: { shard: 1, replica: 1, host: new URL(server.url).hostname }, url: server.url, client }];
  const settings = topology ? clusterSettings(topology, quorum) : {};
  const common = { max_execution_time: 0, distributed_product_mode: 'global', ...settings } as const;
  return {
    server,
    topology,
    nodes,
    rows: async <Row>(query: string, params: Record<string, unknown> = {}) => {
      const answer = await client.query({
        query,
        query_params: params,
        format: 'JSONEachRow',
        clickhouse_settings: { ...common, output_format_json_quote_64bit_integers: 1 },
        abort_signal: AbortSignal.timeout(LONG),
      });
      return answer.json<Row>();
    },
    run: async (query, more = {}) => {
      await client.command({
        query,
        clickhouse_settings: { ...common, ...more },
        query_id: `${copyPrefix(server.database)}${randomBytes(8).toString('hex')}`,
        abort_signal: AbortSignal.timeout(LONG),
      });
    },
    close: async () => {
      await Promise.all([client.close(), ...(topology ? nodes.map((one) => one.client.close()) : [])]);
    },
  };
}

/** How the ids of statements begin that copy into a database. */
const copyPrefix = (database: string): string => `tidemark-reshard-${database}-`;

/** Ends the copies that an earlier run has left behind: their client may be gone, and they go on. */
export async function endCopies({ nodes, server }: Side): Promise<void> {
  const query = 'KILL QUERY WHERE startsWith(initial_query_id, {prefix:String}) SYNC FORMAT Null';
  for (const { client } of nodes) await client.command({ query, query_params: { prefix: copyPrefix(server.database) } });
}

/**
 * The tables of a place as another one reads them: by their names if both are the same server, else through the native port.
 * @returns a function from a table to what stands behind `FROM`
 */
export async function readableFrom(from: Side, to: Side): Promise<(table: string) => string> {
  const { url, database, username, password } = from.server;
  if (url === to.server.url) return (table) => `\`${database}\`.${table}`;
  const isSecure = url.startsWith('https:');
  const [row] = await from.rows<{ port: string }>(`SELECT getServerPort('tcp_port${isSecure ? '_secure' : ''}') AS port`);
  const host = `${new URL(url).hostname}:${row?.port}`;
  const source = (table: string) =>
    `remote${isSecure ? 'Secure' : ''}(${[host, database, table, username, password].map(quoteText).join(', ')})`;
  try {
    await to.rows(`SELECT 1 FROM ${source('events')} LIMIT 0`);
  } catch (error) {
    if (!(error instanceof ClickHouseError)) throw error;
    throw new ConfigError(
      `${to.server.url} cannot read from ${host} (${error.type ?? error.code}): let it reach the native port of the old server with the user of CLICKHOUSE_URL, and grant the new user REMOTE.`,
    );
  }
  return source;
}

/** The columns of a table that are inserted. @throws ConfigError when the two places have different ones */
export async function columnsOf(from: Side, to: Side, table: string): Promise<string> {
  const [here, there] = await Promise.all(
    [from, to].map(async (side) => {
      const rows = await side.rows<{ name: string; type: string }>(
        `SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String}
         AND default_kind NOT IN ('MATERIALIZED', 'ALIAS') ORDER BY name`,
        { database: side.server.database, table },
      );
      return rows.map(({ name, type }) => `${name} ${type}`);
    }),
  );
  if (!here || !there || here.length === 0) {
    throw new ConfigError(`${from.server.url} has no table ${from.server.database}.${table}: is CLICKHOUSE_URL the old place?`);
  }
  if (here.join() !== there.join()) {
    throw new ConfigError(
      `The table ${table} differs in the two places: start a Tidemark server of this version on the old one first.`,
    );
  }
  return here.map((column) => column.split(' ')[0]).join(', ');
}
