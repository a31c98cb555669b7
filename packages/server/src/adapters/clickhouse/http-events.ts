import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ClickHouseError } from '@clickhouse/client';
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
import { deleteEvents, deleteProject } from './delete-events.js';
import { type EngineMessage, insertAroundRefused, insertError, isRejection, parseEngineMessage, readError } from './errors.js';
import { migrate } from './migrate.js';
import { askPulse, connect, createNodes, type Node, type Nodes } from './nodes.js';
import { createPropertiesCodec, EVENT_COLUMNS } from './row-binary/index.js';
import { type EncodedRows, encodeLines, encodeRows, parseResult, plainRow } from './rows.js';
import { type EventsOptions, INSERT_DEADLINE, insertSettings, readSettings, WRITE_DEADLINE } from './settings.js';
import { statementParams } from './sql-literals.js';
import { CHANGES_SCHEMA, COUNTED, deletionStatement, readStoredChanges } from './stored-changes.js';

/** Milliseconds after the engine's own limit at which a request is aborted. */
const GRACE = 5_000;
/** Milliseconds that a statement of a migration may take. */
const MIGRATION_DEADLINE = 600_000;
/** How long a server may take to become reachable, as at the start of a machine, and the pause between two tries; milliseconds. */
const PATIENCE = 30_000;
const RETRY_PAUSE = 500;

interface OpenOptions extends EventsOptions {
  /** The certificate authority of the servers; undefined: those that Node.js knows. */
  ca?: Buffer | undefined;
}

/**
 * A ClickHouse server by its address, `http(s)://user:password@host:port/database`, or several by the addresses of all:
 * `http://host:port,host:port/database`.
 * @throws EventsUnavailable in one sentence when it does not answer
 */
export async function openHttpEvents(
  address: string,
  { log, scheduler, ca }: OpenOptions,
  patience = PATIENCE,
): Promise<EventsStore> {
  const nodes = createNodes(address, { log, ca });
  try {
    await createDatabaseWhenReady(nodes, { log, scheduler, ca }, patience);
  } catch (error) {
    await nodes.close();
    throw error;
  }
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

  /** What a failed call throws. A node that cannot be reached is left. */
  const failed = async (node: Node, error: unknown, translate: (message: EngineMessage) => Error): Promise<Error> => {
    if (/^E(?!RR_)/.test(sqlState(error))) await nodes.check(node);
    return translated(error, translate);
  };

  const insertEncoded = async (table: keyof RowsToInsert, { format, bytes }: EncodedRows, token: string): Promise<void> => {
    const node = nodes.current();
    const response = node.client
      .exec({
        query: `INSERT INTO ${table} ${format === 'binary' ? `(${EVENT_COLUMNS}) FORMAT RowBinary` : 'FORMAT JSONEachRow'}`,
        values: Readable.from(bytes, { objectMode: false }),
        clickhouse_settings: { ...insertSettings(token), ...COUNTED, wait_end_of_query: 1 },
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

  const write = async (query: string, deadline = WRITE_DEADLINE) => {
    const node = nodes.current();
    try {
      await watchdog.guard(node.pending.track(node.client.command({ query, abort_signal: AbortSignal.timeout(deadline) })));
    } catch (error) {
      throw await failed(node, error, readError);
    }
  };

  const read = async <Row>(node: Node, statement: ReadStatement): Promise<ReadResult<Row>> => {
    const settings = readSettings(statement, null);
    const query_id = `tidemark-${prefix}-${++reads}`;
    const deadline = AbortSignal.timeout(Number(settings.max_execution_time) * 1000 + GRACE);
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
      const answer = node.client
        .exec({
          query: `${statement.sql}\nFORMAT JSONCompact`,
          query_params: statement.params ?? {},
          // a response that breaks off must not look like a complete one
          clickhouse_settings: { ...settings, readonly: '2', wait_end_of_query: 1 },
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

  const store: EventsStore = {
    query: async (statement) => {
      statement.signal?.throwIfAborted();
      statementParams(statement.sql, statement.params);
      const node = nodes.current();
      try {
        return await read(node, statement);
      } catch (error) {
        if (!(error instanceof EventsUnavailable) || nodes.current() === node) throw error;
        return await read(nodes.current(), statement);
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
    deleteProject: (projectId) => deleteProject({ query: store.query, write }, projectId),
    deleteEvents: async (projectId, erased) => {
      const areGone = await deleteEvents({ query: store.query, write }, projectId, erased);
      await write(deletionStatement(projectId));
      return areGone;
    },
    dataVersion: (projectId) => readStoredChanges(store.query, projectId),
    acceptsInserts: watchdog.answers,
    ping: async () => {
      const { rows } = await store.query<{ version: string }>({ sql: 'SELECT version() AS version', maxSeconds: 5 });
      return { version: rows[0]?.version ?? '' };
    },
    close: async () => {
      watchdog.stop();
      await nodes.close();
    },
  };

  try {
    const target = {
      write: async (query: string) => {
        await watchdog.guard(nodes.current().client.command({ query, abort_signal: AbortSignal.timeout(MIGRATION_DEADLINE) }));
      },
      applied: async () =>
        (await store.query<{ name: string }>({ sql: 'SELECT DISTINCT name FROM schema_migrations' })).rows.map((row) => row.name),
    };
    await retryWhile(scheduler, isAway, async () => {
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
  const deadline = scheduler.uptime() + patience;
  for (let isFirst = true; ; isFirst = false) {
    try {
      if (nodes.areSeveral) await nodes.choose();
      return await createDatabase(nodes, options);
    } catch (error) {
      if (scheduler.uptime() + RETRY_PAUSE > deadline || certificateFault(error)) throw startError(error, nodes);
      if (isFirst) log.info('waiting for the ClickHouse of CLICKHOUSE_URL');
    }
    await sleep(scheduler, RETRY_PAUSE);
  }
}

/** Creates the database, unless the server refuses: then the operator has created it. */
async function createDatabase(nodes: Nodes, { ca }: OpenOptions): Promise<void> {
  const { server } = nodes.current();
  const client = connect(server, 'default', { ca });
  try {
    await client.command({
      query: 'CREATE DATABASE IF NOT EXISTS {name:Identifier}',
      query_params: { name: server.database },
      abort_signal: AbortSignal.timeout(INSERT_DEADLINE),
    });
  } catch (error) {
    if (!(error instanceof ClickHouseError)) throw error;
  } finally {
    await client.close();
  }
}

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
      `CLICKHOUSE_URL: ${url} is not trusted: ${certificate} (CLICKHOUSE_CA_FILE names the authority's certificate).`,
    );
  }
  if (error instanceof EventsUnavailable || (error instanceof Error && 'code' in error)) {
    return new EventsUnavailable(`CLICKHOUSE_URL: no ClickHouse answers at ${nodes.urls.join(' or ')}.`);
  }
  return error;
}

/** Whether the server was not reached; a refusal is final. */
const isAway = (error: unknown): boolean =>
  error instanceof EventsUnavailable || (error instanceof Error && !(error instanceof ClickHouseError) && 'code' in error);

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
