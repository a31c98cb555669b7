import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ClickHouseError } from '@clickhouse/client';
import { ConfigError } from '../../config.js';
import { certificateFault } from '../../kernel/certificate-fault.js';
import { retryWhile, sleep } from '../../kernel/scheduler.js';
import { sqlState } from '../../kernel/sql.js';
import { createWatchdog } from '../../kernel/watchdog.js';
import {
  type EventsStore,
  EventsUnavailable,
  type ReadResult,
  type ReadStatement,
  type RowsToInsert,
} from '../../ports/events.js';
import { type Cluster, openCluster } from './cluster.js';
import { createHttpCopies } from './copies/http-copies.js';
import { deleteEvents, deleteEventsBefore, deleteProfiles, deleteProject, type MutationTarget } from './delete-events.js';
import { type EngineMessage, insertAroundRefused, insertError, isRejection, parseEngineMessage, readError } from './errors.js';
import { migrate } from './migrate.js';
import { ABORTED, askPulse, createDatabase, createNodes, isAway, type Node, type Nodes } from './nodes.js';
import { createPropertiesCodec, EVENT_COLUMNS } from './row-binary/index.js';
import { type EncodedRows, encodeLines, encodeRows, parseResult, plainRow } from './rows.js';
import {
  type EventsOptions,
  INSERT_DEADLINE,
  insertSettings,
  MAX_STATEMENT,
  MIGRATION_DEADLINE,
  readSettings,
  WRITE_DEADLINE,
} from './settings.js';
import { readStoreSpace } from './space.js';
import { inlineLongValues, statementParams } from './sql-literals.js';
import { CHANGES_SCHEMA, COUNTED, readStoredChanges, storedDeletions } from './stored-changes.js';
import { clusterSettings, filteredNames, mutationsOf, type Quorum } from './topology.js';

/** Milliseconds after the engine's own limit at which a request is aborted. */
const GRACE = 5_000;
/** How long a server may take to become reachable, as at the start of a machine; milliseconds. */
const PATIENCE = 30_000;
/** For how long a read is repeated while another node or replica takes over, and the pause before it if the same node is read again; milliseconds. */
const TAKEOVER = 4_000;
const TAKEOVER_PAUSE = 300;

interface OpenOptions extends EventsOptions {
  /** The cluster that the tables are made on; null or absent: on the server alone. */
  cluster?: { name: string; quorum: Quorum } | null;
  /** The certificate authority of the servers; undefined: those that Node.js knows. */
  ca?: Buffer | undefined;
}

/**
 * A ClickHouse server by its address, `http(s)://user:password@host:port/database`, or several by the addresses of all:
 * `http://host:port,host:port/database`.
 * @throws EventsUnavailable in one sentence when it does not answer
 * @throws ConfigError in one sentence when its cluster cannot be used
 */
export async function openHttpEvents(address: string, options: OpenOptions, patience = PATIENCE): Promise<EventsStore> {
  const { log, scheduler, ca } = options;
  const nodes = createNodes(address, { log, ca });
  let cluster: Cluster | null = null;
  try {
    await createDatabaseWhenReady(nodes, options, patience);
    if (options.cluster) cluster = await openClusterWhenReady(nodes, { ...options, ...options.cluster }, patience);
  } catch (error) {
    await nodes.close();
    throw error instanceof ClickHouseError ? startError(error, nodes) : error;
  }
  const settings = cluster && options.cluster ? clusterSettings(cluster.topology, options.cluster.quorum) : {};
  /** Whether there is more than one place of the same rows. */
  const hasOthers = nodes.areSeveral || (cluster?.topology.isReplicated ?? false);
  const prefix = randomBytes(8).toString('hex');
  let reads = 0;

  const watchdog = createWatchdog({
    scheduler,
    probe: async (signal) => {
      const node = nodes.current();
      try {
        await askPulse(node, signal);
      } catch (error) {
        if (!(await nodes.leave(node))) throw error;
      }
    },
    error: () => new EventsUnavailable('The ClickHouse server does not answer.'),
  });

  /** What a failed call throws. A node that cannot be reached, or is stopping, is left. */
  const failed = async (node: Node, error: unknown, translate: (message: EngineMessage) => Error): Promise<Error> => {
    if (isStopping(error)) await nodes.leave(node);
    else if (nodes.areSeveral && /^E(?!RR_)/.test(sqlState(error))) await nodes.check(node);
    return translated(error, translate);
  };

  const insertEncoded = async (table: keyof RowsToInsert, { format, bytes }: EncodedRows, token: string): Promise<void> => {
    const node = nodes.current();
    const response = node.client
      .exec({
        query: `INSERT INTO ${table} ${format === 'binary' ? `(${EVENT_COLUMNS}) FORMAT RowBinary` : 'FORMAT JSONEachRow'}`,
        values: Readable.from(bytes, { objectMode: false }),
        clickhouse_settings: { ...insertSettings(token), ...settings, ...COUNTED, wait_end_of_query: 1 },
        abort_signal: AbortSignal.timeout(INSERT_DEADLINE + GRACE),
      })
      .then(({ stream }) => text(stream));
    try {
      // A silent server may still store the rows later, and a retry would then store events twice, so their insert is not given up, unless
      // another node of the same data takes over: replicas know the deduplication tokens of each other.
      // Rows of the other tables replace each other by key and version.
      await node.pending.track(table === 'events' ? response : watchdog.guard(response));
    } catch (error) {
      throw await failed(node, error, insertError);
    }
  };

  const write = async (query: string) => {
    const node = nodes.current();
    const abort_signal = AbortSignal.timeout(WRITE_DEADLINE);
    try {
      await watchdog.guard(node.pending.track(node.client.command({ query, clickhouse_settings: settings, abort_signal })));
    } catch (error) {
      throw await failed(node, error, readError);
    }
  };

  const read = async <Row>(node: Node, statement: ReadStatement): Promise<ReadResult<Row>> => {
    const limits = readSettings(statement, null);
    const query_id = `tidemark-${prefix}-${++reads}`;
    const deadline = AbortSignal.timeout(Number(limits.max_execution_time) * 1000 + GRACE);
    const stop = new AbortController();
    const abort_signal = AbortSignal.any([stop.signal, deadline, ...(statement.signal ? [statement.signal] : [])]);
    const kill = () => {
      node.client
        .command({
          query: 'KILL QUERY WHERE query_id = {id:String} ASYNC',
          query_params: { id: query_id },
          abort_signal: AbortSignal.timeout(GRACE),
        })
        .catch(() => {});
    };
    abort_signal.addEventListener('abort', kill, { once: true });
    try {
      const { sql, params } = inlineLongValues(statement);
      const answer = node.client
        .exec({
          query: `${sql}\nFORMAT JSONCompact`,
          query_params: params,
          // a response that breaks off must not look like a complete one
          clickhouse_settings: {
            ...limits,
            ...settings,
            readonly: '2',
            wait_end_of_query: 1,
            max_query_size: String(MAX_STATEMENT),
          },
          query_id,
          abort_signal,
        })
        .then(({ stream }) => bytesOf(stream));
      return parseResult(await watchdog.guard(node.pending.track(answer)));
    } catch (error) {
      statement.signal?.throwIfAborted();
      // a server that is silent still has the statement
      if (error instanceof EventsUnavailable) stop.abort();
      throw await failed(node, error, readError);
    } finally {
      abort_signal.removeEventListener('abort', kill);
    }
  };

  const mutations: MutationTarget = {
    query: (statement) => store.query(statement),
    write: async (sql) => {
      if (!cluster) return write(sql);
      await cluster.alter(sql).catch((error: unknown) => {
        throw translated(error, readError);
      });
    },
    mutations: mutationsOf(cluster?.topology ?? null),
    marks: storedDeletions({ query: (statement) => store.query(statement), write }),
  };
  const store: EventsStore = {
    query: async (statement) => {
      statement.signal?.throwIfAborted();
      statementParams(statement.sql, statement.params);
      for (let end = Number.POSITIVE_INFINITY; ; ) {
        const node = nodes.current();
        try {
          return await read(node, statement);
        } catch (error) {
          if (!(error instanceof EventsUnavailable) || !hasOthers || scheduler.uptime() > end) throw error;
          end = Math.min(end, scheduler.uptime() + TAKEOVER);
          const inUse = await nodes.check(node);
          if (inUse === 'none') throw error;
          // otherwise the silence of the node before it would end reads of this one
          watchdog.alive();
          // a replica of another shard has gone away, or the node was silent for a moment
          if (inUse === 'same') await sleep(scheduler, TAKEOVER_PAUSE);
          statement.signal?.throwIfAborted();
        }
      }
    },
    codec: createPropertiesCodec(),
    insert: async (table, rows, { token }) => {
      if (rows.length === 0) return [];
      try {
        await insertEncoded(table, await encodeRows(table, rows, scheduler), partToken(token, rows));
        return [];
      } catch (error) {
        if (!isRejection(error)) throw error;
      }
      const refused = await insertAroundRefused(rows.map(plainRow), async (part) =>
        insertEncoded(table, { format: 'lines', bytes: await encodeLines(part, scheduler) }, partToken(token, part)),
      );
      return refused.flatMap(({ index }) => rows[index] ?? []);
    },
    rowFilterTables: filteredNames(cluster?.topology ?? null),
    replicas: cluster?.replicas ?? null,
    deleteProject: (projectId) => deleteProject(mutations, projectId),
    deleteEvents: (projectId, erased) => deleteEvents(mutations, projectId, erased),
    deleteProfiles: (projectId, erased) => deleteProfiles(mutations, projectId, erased),
    deleteEventsBefore: (limits) => deleteEventsBefore(mutations, limits),
    dataVersion: (projectId) => readStoredChanges(store.query, projectId),
    copies: createHttpCopies({
      node: nodes.current,
      query: (statement) => store.query(statement),
      settings,
      alter: async (sql) => mutations.write(sql),
      topology: cluster?.topology ?? null,
      replicas: cluster?.replicas ?? null,
      scheduler,
      failed: (node, error) => failed(node, error, readError),
    }),
    space: () => readStoreSpace((statement) => store.query(statement), cluster?.topology ?? null),
    acceptsInserts: watchdog.answers,
    ping: async () => {
      const { rows } = await store.query<{ version: string }>({ sql: 'SELECT version() AS version', maxSeconds: 5 });
      return { version: rows[0]?.version ?? '' };
    },
    close: async () => {
      watchdog.stop();
      await Promise.all([nodes.close(), cluster?.close()]);
    },
  };
  // its nodes have the tables
  if (cluster) return store;

  try {
    const target = {
      write: async (query: string) => {
        await watchdog.guard(nodes.current().client.command({ query, abort_signal: AbortSignal.timeout(MIGRATION_DEADLINE) }));
      },
      applied: async () =>
        (await store.query<{ name: string }>({ sql: 'SELECT DISTINCT name FROM schema_migrations' })).rows.map((row) => row.name),
    };
    await retryWhile(scheduler, isAway, async () => {
      await refuseCluster(nodes.current());
      await migrate(target, log);
      for (const sql of CHANGES_SCHEMA) await target.write(sql);
    });
    return store;
  } catch (error) {
    await store.close();
    throw startError(error, nodes);
  }
}

/**
 * The deduplication token of some rows of an insert: the same rows have the same token, whether they are inserted with others or again
 * after an unknown end, and different rows another one.
 */
function partToken(token: string, rows: readonly RowsToInsert[keyof RowsToInsert][]): string {
  const hash = createHash('sha1').update(token);
  for (const row of rows) hash.update(`\n${row.project_id} ${keyOf(row)}`);
  return hash.digest('base64url');
}

function keyOf(row: RowsToInsert[keyof RowsToInsert]): string {
  if ('event' in row) return row.uuid;
  if ('group_key' in row) return `${row.version} ${row.group_type_index} ${row.group_key}`;
  return `${row.version} ${'distinct_id' in row ? row.distinct_id : row.person_id}`;
}

async function createDatabaseWhenReady(nodes: Nodes, options: OpenOptions, patience: number): Promise<void> {
  const { log, scheduler } = options;
  let isWaiting = false;
  const isTemporary = (error: unknown) => {
    if (certificateFault(error)) return false;
    if (!isWaiting && patience > 0) log.info('waiting for the ClickHouse of CLICKHOUSE_URL');
    isWaiting = true;
    return true;
  };
  const create = async () => {
    if (nodes.areSeveral) await nodes.choose();
    await createDatabase(nodes.current().server, options);
  };
  await retryWhile(scheduler, isTemporary, create, patience).catch((error) => {
    throw startError(error, nodes);
  });
}

/** Opens a cluster, again as long as the node that is read is stopping. */
function openClusterWhenReady(
  nodes: Nodes,
  options: EventsOptions & Parameters<typeof openCluster>[1],
  patience: number,
): Promise<Cluster> {
  let isFirst = true;
  const open = async () => {
    if (!isFirst && nodes.areSeveral) await nodes.choose();
    isFirst = false;
    return openCluster(nodes.current().server, options);
  };
  return retryWhile(options.scheduler, (error) => sqlState(error) === ABORTED, open, patience);
}

/** Whether the node that was sent the statement is stopping, not one that it reads from. */
const isStopping = (error: unknown): boolean =>
  error instanceof ClickHouseError && error.code === ABORTED && !error.message.includes('Received from ');

function startError(error: unknown, nodes: Nodes): unknown {
  const { url, database } = nodes.current().server;
  if (error instanceof ClickHouseError) {
    return new EventsUnavailable(
      `CLICKHOUSE_URL: ${url} refuses to prepare the database ${database}: ${error.type ?? error.code}.`,
    );
  }
  const certificate = certificateFault(error);
  if (certificate) {
    return new EventsUnavailable(
      `CLICKHOUSE_URL: ${url} is not trusted: ${certificate} (CLICKHOUSE_CA_FILE names the file of the authority).`,
    );
  }
  if (error instanceof EventsUnavailable || (error instanceof Error && 'code' in error)) {
    return new EventsUnavailable(`CLICKHOUSE_URL: no ClickHouse answers at ${nodes.urls.join(' or ')}.`);
  }
  return error;
}

/** @throws ConfigError when the tables are Distributed ones, which the migrations of a single server may not touch */
async function refuseCluster({ client, server: { url, database } }: Node): Promise<void> {
  const answer = await client.query({
    query: "SELECT 1 FROM system.tables WHERE database = currentDatabase() AND name = 'events' AND engine = 'Distributed'",
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(INSERT_DEADLINE),
  });
  if ((await answer.json()).length === 0) return;
  throw new ConfigError(
    `CLICKHOUSE_URL: the tables of ${database} at ${url} are on a cluster: set CLICKHOUSE_CLUSTER to its name.`,
  );
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function translated(error: unknown, translate: (message: EngineMessage) => Error): Error {
  if (error instanceof ClickHouseError) {
    const message = { code: Number(error.code), name: error.type ?? '', text: error.message };
    return translate(parseEngineMessage(`Code: ${error.code}. DB::Exception: ${error.message}`) ?? message);
  }
  return error instanceof EventsUnavailable ? error : new EventsUnavailable('The ClickHouse server cannot be reached.');
}
