import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { retryWhile, sleep } from '../../kernel/scheduler.js';
import { createWatchdog } from '../../kernel/watchdog.js';
import { type EventsStore, EventsUnavailable, type RowsToInsert } from '../../ports/events.js';
import { deleteEvents, deleteProject } from './delete-events.js';
import { type EngineMessage, insertAroundRefused, insertError, isRejection, parseEngineMessage, readError } from './errors.js';
import { migrate } from './migrate.js';
import { createPropertiesCodec, EVENT_COLUMNS } from './row-binary/index.js';
import { type EncodedRows, encodeLines, encodeRows, parseResult, plainRow } from './rows.js';
import { DATABASE, type EventsOptions, INSERT_DEADLINE, insertSettings, readSettings, WRITE_DEADLINE } from './settings.js';
import { statementParams } from './sql-literals.js';
import { CHANGES_SCHEMA, COUNTED, deletionStatement, readStoredChanges } from './stored-changes.js';

/** Milliseconds after the engine's own limit at which a request is aborted. */
const GRACE = 5_000;
const LONGEST = 24 * 60 * 60 * 1000;
/** Milliseconds that a statement of a migration may take. */
const MIGRATION_DEADLINE = 600_000;
/** How long a server may take to become reachable, as at the start of a machine, and the pause between two tries; milliseconds. */
const PATIENCE = 30_000;
const RETRY_PAUSE = 500;

/**
 * A ClickHouse server by its address: `http(s)://user:password@host:port/database`.
 * @throws EventsUnavailable in one sentence when it does not answer
 */
export async function openHttpEvents(
  address: string,
  { log, scheduler }: EventsOptions,
  patience = PATIENCE,
): Promise<EventsStore> {
  const server = parseAddress(address);
  await createDatabaseWhenReady(server, { log, scheduler }, patience);
  const client = connect(server, server.database);
  const prefix = randomBytes(8).toString('hex');
  let reads = 0;

  // a connection of its own: all others may be waiting
  const pulse = connect(server, server.database, 1);
  const watchdog = createWatchdog({
    scheduler,
    probe: async (abort_signal) => {
      await pulse.command({ query: 'SELECT 1 FORMAT Null', abort_signal }).catch((error: unknown) => {
        // a refusal is a sign of life, too
        if (!(error instanceof ClickHouseError)) throw error;
      });
    },
    error: () => new EventsUnavailable('The ClickHouse server does not answer.'),
  });

  const insertEncoded = async (table: keyof RowsToInsert, { format, bytes }: EncodedRows, token: string): Promise<void> => {
    const response = client
      .exec({
        query: `INSERT INTO ${table} ${format === 'binary' ? `(${EVENT_COLUMNS}) FORMAT RowBinary` : 'FORMAT JSONEachRow'}`,
        values: Readable.from(bytes, { objectMode: false }),
        clickhouse_settings: { ...insertSettings(token), ...COUNTED, wait_end_of_query: 1 },
        abort_signal: AbortSignal.timeout(INSERT_DEADLINE + GRACE),
      })
      .then(({ stream }) => text(stream));
    try {
      // A silent server may still store the rows later, and a retry would then store events twice, so their insert is not given up.
      // Rows of the other tables replace each other by key and version.
      await (table === 'events' ? response : watchdog.guard(response));
    } catch (error) {
      throw translated(error, insertError);
    }
  };

  const write = async (query: string, deadline = WRITE_DEADLINE) => {
    try {
      await watchdog.guard(client.command({ query, abort_signal: AbortSignal.timeout(deadline) }));
    } catch (error) {
      throw translated(error, readError);
    }
  };
  const store: EventsStore = {
    query: async (statement) => {
      statement.signal?.throwIfAborted();
      statementParams(statement.sql, statement.params);
      const settings = readSettings(statement, null);
      const query_id = `tidemark-${prefix}-${++reads}`;
      const deadline = AbortSignal.timeout(Number(settings.max_execution_time) * 1000 + GRACE);
      const stop = new AbortController();
      const abort_signal = AbortSignal.any([stop.signal, deadline, ...(statement.signal ? [statement.signal] : [])]);
      const kill = () => {
        client
          .command({
            query: 'KILL QUERY WHERE query_id = {id:String} ASYNC',
            query_params: { id: query_id },
            abort_signal: AbortSignal.timeout(GRACE),
          })
          .catch(() => {});
      };
      abort_signal.addEventListener('abort', kill, { once: true });
      try {
        const answer = client
          .exec({
            query: `${statement.sql}\nFORMAT JSONCompact`,
            query_params: statement.params ?? {},
            // a response that breaks off must not look like a complete one
            clickhouse_settings: { ...settings, readonly: '2', wait_end_of_query: 1 },
            query_id,
            abort_signal,
          })
          .then(({ stream }) => bytesOf(stream));
        return parseResult(await watchdog.guard(answer));
      } catch (error) {
        statement.signal?.throwIfAborted();
        // a server that is silent still has the statement
        if (error instanceof EventsUnavailable) stop.abort();
        throw translated(error, readError);
      } finally {
        abort_signal.removeEventListener('abort', kill);
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
      await Promise.all([client.close(), pulse.close()]);
    },
  };

  try {
    const target = {
      write: async (query: string) => {
        await watchdog.guard(client.command({ query, abort_signal: AbortSignal.timeout(MIGRATION_DEADLINE) }));
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
    throw startError(error, server);
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

interface Server {
  url: string;
  username: string;
  password: string;
  database: string;
}

function parseAddress(address: string): Server {
  const url = new URL(address);
  return {
    url: url.origin,
    username: decodeURIComponent(url.username) || 'default',
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || DATABASE,
  };
}

const connect = ({ url, username, password }: Server, database: string, connections = 20): ClickHouseClient =>
  createClient({
    url,
    username,
    password,
    database,
    application: 'tidemark',
    // each statement has a limit of its own
    request_timeout: LONGEST,
    max_open_connections: connections,
    use_multipart_params_auto: true,
    // its messages quote statements and rows
    log: { level: ClickHouseLogLevel.OFF },
  });

async function createDatabaseWhenReady(server: Server, { log, scheduler }: EventsOptions, patience: number): Promise<void> {
  const deadline = scheduler.uptime() + patience;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await createDatabase(server);
    } catch (error) {
      if (scheduler.uptime() + RETRY_PAUSE > deadline) throw error;
      if (isFirst) log.info('waiting for the ClickHouse of CLICKHOUSE_URL');
    }
    await sleep(scheduler, RETRY_PAUSE);
  }
}

/** Creates the database, unless the server refuses: then the operator has created it. */
async function createDatabase(server: Server): Promise<void> {
  const client = connect(server, 'default');
  try {
    await client.command({
      query: 'CREATE DATABASE IF NOT EXISTS {name:Identifier}',
      query_params: { name: server.database },
      abort_signal: AbortSignal.timeout(INSERT_DEADLINE),
    });
  } catch (error) {
    if (!(error instanceof ClickHouseError)) throw startError(error, server);
  } finally {
    await client.close();
  }
}

function startError(error: unknown, { url, database }: Server): unknown {
  if (error instanceof ClickHouseError) {
    return new EventsUnavailable(
      `CLICKHOUSE_URL: ${url} refuses to prepare the database ${database}: ${error.type ?? error.code}.`,
    );
  }
  if (error instanceof EventsUnavailable || (error instanceof Error && 'code' in error)) {
    return new EventsUnavailable(`CLICKHOUSE_URL: no ClickHouse answers at ${url}.`);
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
