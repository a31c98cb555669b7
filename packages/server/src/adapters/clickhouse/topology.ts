import type { RowsToInsert } from '../../ports/events.js';
import type { Settings } from './engine/protocol.js';
import { quoteText } from './sql-literals.js';

/*
 * Where the tables are. On one server they are in the database of the address. On a cluster each node has the rows of its shard in tables
 * of `<database>_local`, and in `<database>` Distributed tables of the same names over all shards.
 */

/** A server of a cluster, as `system.clusters` of each of them lists it. */
export interface ClusterNode {
  shard: number;
  replica: number;
  host: string;
}

/** How many replicas have a row before its insert is acknowledged; `auto`: most of a shard's, 0: one. */
export type Quorum = 'auto' | number;

/** How many replicas of a shard a quorum is, as ClickHouse counts. */
export const replicasOf = (quorum: Quorum, replicas: number): number =>
  quorum === 'auto' ? Math.floor(replicas / 2) + 1 : quorum;

/** A cluster by its definition in `remote_servers` of its nodes. */
export interface Topology {
  cluster: string;
  /** Database of the Distributed tables. */
  database: string;
  /** Database of the tables with the rows. */
  local: string;
  nodes: readonly ClusterNode[];
  isReplicated: boolean;
}

/** The tables with rows of projects. */
export type ProjectTable = keyof RowsToInsert;

/** What must be read together to see the newest version of a row lives on one shard, and an event with the merge of its distinct id. */
const SHARDING_KEYS = {
  events: 'cityHash64(project_id, distinct_id)',
  person_overrides: 'cityHash64(project_id, distinct_id)',
  persons: 'cityHash64(project_id, person_id)',
  groups: 'cityHash64(project_id, group_type_index, group_key)',
  changes: 'project_id',
} as const satisfies Record<ProjectTable | 'changes', string>;

export function createTopology(cluster: string, database: string, nodes: readonly ClusterNode[]): Topology {
  const isReplicated = nodes.some(({ replica }) => replica > 1);
  return { cluster, database, local: `${database}_local`, nodes, isReplicated };
}

/** The nodes of each shard, in the order of the cluster's definition. */
export function shardsOf({ nodes }: Topology): ClusterNode[][] {
  const shards = new Map<number, ClusterNode[]>();
  for (const node of nodes) shards.set(node.shard, [...(shards.get(node.shard) ?? []), node]);
  return [...shards.values()];
}

/** A name as an identifier of SQL. */
const quoteName = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``;

/** The engines of the Distributed tables, by table, as `system.tables` shows them. */
export const distributedEngines = ({ cluster, local }: Topology): Map<string, string> =>
  new Map(
    Object.entries(SHARDING_KEYS).map(([table, key]) => [
      table,
      `Distributed(${quoteText(cluster)}, ${quoteText(local)}, ${quoteText(table)}, ${key})`,
    ]),
  );

/** The statement that makes a Distributed table, or makes it anew: it has no rows of its own. */
export const distributedTable = ({ database, local }: Topology, table: string, engine: string): string =>
  `CREATE OR REPLACE TABLE ${quoteName(database)}.${table} AS ${quoteName(local)}.${table} ENGINE = ${engine}`;

const ENGINE = /\bENGINE = (\w*MergeTree)(?:\(([^)]*)\))?/;

/** The statement of a migration as a node runs it: where there are replicas, its tables are replicated under the name of the table. */
export function localStatement({ isReplicated, database }: Topology, statement: string): string {
  const table = /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(statement)?.[1];
  // what was applied to a node is known by the node
  if (!isReplicated || !table || table === 'schema_migrations') return statement;
  return statement.replace(ENGINE, (_, engine: string, args?: string) => {
    const path = quoteText(`/clickhouse/tables/{shard}/${database}/${table}`);
    return `ENGINE = Replicated${engine}(${[path, "'{replica}'", ...(args ? [args] : [])].join(', ')})`;
  });
}

/** The names by which a row filter finds the tables of projects: on the shards they have names of their own. */
export const filteredNames = (topology: Topology | null): string[] => {
  const tables: ProjectTable[] = ['events', 'persons', 'person_overrides', 'groups'];
  return topology ? tables.flatMap((table) => [table, `${topology.local}.${table}`]) : tables;
};

/** Longest pause between two tries of an insert while Keeper is away, milliseconds. By default it grows to ten seconds. */
const KEEPER_PAUSE = 1_000;

/** Milliseconds in which a quorum must have the rows: less than an insert may take. */
const QUORUM_TIMEOUT = 20_000;

/** Milliseconds after which a replica that says nothing is left for the next one. */
const SILENCE = 2_000;

/** The settings of every statement on a cluster. */
export const clusterSettings = ({ isReplicated }: Topology, quorum: Quorum): Settings => ({
  // an acknowledged row is on its shard, not in a queue of the node that took it
  distributed_foreground_insert: 1,
  // an answer without a shard would be a wrong one
  skip_unavailable_shards: 0,
  // a subquery sees the rows of all shards, not those of the shard that runs it
  distributed_product_mode: 'global',
  prefer_global_in_and_join: 1,
  ...(isReplicated
    ? {
        insert_quorum: quorum,
        insert_quorum_timeout: QUORUM_TIMEOUT,
        insert_keeper_retry_max_backoff_ms: KEEPER_PAUSE,
        // reads ask the replica that took the rows, as long as it lives
        load_balancing: 'in_order',
        prefer_localhost_replica: 0,
        // a replica that hangs still accepts connections; the default is ten seconds
        handshake_timeout_ms: SILENCE,
        // by default one that takes 50 ms for a connection counts as hanging, and the next one may lack what was just stored
        hedged_connection_timeout_ms: SILENCE,
        receive_data_timeout_ms: SILENCE,
      }
    : {}),
});

/** The statement that lists the shards on which the nodes of a cluster find the tables of the database `local`. */
export const shardsWithTables = ({ cluster }: Topology): string =>
  `SELECT DISTINCT _shard_num AS shard FROM cluster(${quoteText(cluster)}, system.tables)
   WHERE database = {local:String} AND name = 'events'`;

/** Where the mutations of the tables with the rows are listed. */
export interface Mutations {
  /** For a `FROM`, with a condition. */
  from: string;
  /** The end of the statement. */
  settings: string;
}

export const mutationsOf = (topology: Topology | null): Mutations =>
  topology
    ? {
        from: `clusterAllReplicas(${quoteText(topology.cluster)}, system.mutations) WHERE database = ${quoteText(topology.local)}`,
        // a replica that is away has no more mutations than the others of its shard
        settings: topology.isReplicated ? ' SETTINGS skip_unavailable_shards = 1' : '',
      }
    : { from: 'system.mutations WHERE database = currentDatabase()', settings: '' };

/** The rows of a table on all nodes that answer, those of each replica. */
export const allReplicasOf = ({ cluster, local }: Topology, table: string): { from: string; settings: string } => ({
  from: `clusterAllReplicas(${quoteText(cluster)}, ${quoteText(local)}, ${quoteText(table)})`,
  settings: ' SETTINGS skip_unavailable_shards = 1',
});

/** Where the applied migrations are listed: on a cluster, each node has the list, so that one that is away is not missed. */
export const migrationsOf = (topology: Topology | null): { from: string; settings: string } =>
  topology ? allReplicasOf(topology, 'schema_migrations') : { from: 'schema_migrations', settings: '' };
