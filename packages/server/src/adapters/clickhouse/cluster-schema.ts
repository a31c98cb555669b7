import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import type { Logger } from 'pino';
import { ConfigError } from '../../config.js';
import { retryWhile } from '../../kernel/scheduler.js';
import type { Scheduler } from '../../ports/system.js';
import { migrate } from './migrate.js';
import { createDatabase, isAway, type Server } from './nodes.js';
import { MIGRATION_DEADLINE } from './settings.js';
import { CHANGES_SCHEMA } from './stored-changes.js';
import { distributedEngines, distributedTable, localStatement, type Topology } from './topology.js';

interface NodeOptions {
  /** The node. */
  server: Server;
  /** Connected to the database of the tables with the rows. */
  client: ClickHouseClient;
  /** Another replica of its shard that has the tables; null: this is the first. */
  replica: ClickHouseClient | null;
  topology: Topology;
  log: Logger;
  scheduler: Scheduler;
  ca?: Buffer | undefined;
}

/** Another replica changes the same table, this one has just been made, or its session with Keeper has ended: all pass. */
const PASSING = new Set(['517', '242', '999']);

/** Keeper has a replica of that name, with the rows of a disk that the node no longer has. */
const REPLICA_EXISTS = '253';

const passes = (error: unknown): boolean => isAway(error) || (error instanceof ClickHouseError && PASSING.has(error.code));

/** Brings the tables of a node to the newest schema: those with the rows of its shard, and the Distributed ones over all shards. */
export async function makeNodeTables({ server, client, replica, topology, log, scheduler, ca }: NodeOptions): Promise<void> {
  const { database, local } = topology;
  const run = async (query: string) => {
    await retryWhile(scheduler, passes, () => client.command({ query, abort_signal: AbortSignal.timeout(MIGRATION_DEADLINE) }));
  };
  const rows = <Row>(query: string, params: Record<string, unknown> = {}) => rowsOf<Row>(client, query, params);
  await createDatabase({ ...server, database: local }, { ca });
  await createDatabase(server, { ca });
  const target = {
    write: (statement: string) => run(localStatement(topology, statement)),
    applied: async () => (await rows<{ name: string }>('SELECT DISTINCT name FROM schema_migrations')).map(({ name }) => name),
  };
  if (replica) {
    await copyTables(replica, run, local).catch((error: unknown) => {
      if (!(error instanceof ClickHouseError) || error.code !== REPLICA_EXISTS) throw error;
      throw new ConfigError(
        `CLICKHOUSE_CLUSTER: ${server.url} has no tables, and Keeper knows a replica of its name: if its disk is lost for good, run SYSTEM DROP REPLICA '<its macro "replica">' FROM DATABASE ${local} on another replica of the shard; else give it a <replica> of its own.`,
      );
    });
  }
  await migrate(target, log);
  for (const statement of CHANGES_SCHEMA) await target.write(statement);

  const tables = await rows<{ name: string; engine: string }>(
    'SELECT name, engine_full AS engine FROM system.tables WHERE database = {database:String}',
    { database },
  );
  const columns = await rows<{ database: string; table: string; columns: string }>(
    `SELECT database, table, toString(arraySort(groupArray((position, name, type, default_kind, default_expression)))) AS columns
     FROM system.columns WHERE database IN ({database:String}, {local:String}) GROUP BY database, table`,
    { database, local },
  );
  const columnsOf = (of: string, table: string) => columns.find((one) => one.database === of && one.table === table)?.columns;
  for (const [table, engine] of distributedEngines(topology)) {
    const present = tables.find(({ name }) => name === table)?.engine;
    if (present !== undefined && !present.startsWith('Distributed(')) {
      throw new ConfigError(
        `CLICKHOUSE_CLUSTER: the database ${database} of ${server.url} has the tables of a single server: name another database in CLICKHOUSE_URL, and copy the rows.`,
      );
    }
    if (present === engine && columnsOf(database, table) === columnsOf(local, table)) continue;
    await run(distributedTable(topology, table, engine));
  }
}

async function rowsOf<Row>(client: ClickHouseClient, query: string, params: Record<string, unknown>): Promise<Row[]> {
  const answer = await client.query({ query, query_params: params, format: 'JSONEachRow' });
  return answer.json<Row>();
}

/**
 * Makes the tables of a new replica as another one has them: the first migrations would make them as they once were, which Keeper refuses
 * for a table that has been altered since.
 */
async function copyTables(from: ClickHouseClient, run: (sql: string) => Promise<void>, local: string): Promise<void> {
  const tables = await rowsOf<{ sql: string }>(
    from,
    `SELECT create_table_query AS sql FROM system.tables WHERE database = {local:String}
     ORDER BY engine = 'MaterializedView', name`,
    { local },
  );
  for (const { sql } of tables) await run(sql.replace(/^CREATE (TABLE|MATERIALIZED VIEW) /, 'CREATE $1 IF NOT EXISTS '));
}
