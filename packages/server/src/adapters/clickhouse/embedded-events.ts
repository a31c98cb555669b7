import { randomBytes } from 'node:crypto';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Config } from '../../config.js';
import { deadline, retryWhile } from '../../kernel/scheduler.js';
import {
  type AppliedMerges,
  EventsFull,
  type EventsStore,
  EventsUnavailable,
  QueryFailed,
  type ReadResult,
  type ReadStatement,
} from '../../ports/events.js';
import { createMerges, MERGES_SCHEMA } from './apply-merges.js';
import { createChangedPersons } from './changed-persons.js';
import { createChanges } from './changes.js';
import { createEmbeddedCopies } from './copies/embedded-copies.js';
import { createInsertGate } from './copies/insert-gate.js';
import { createDaysOfIds } from './days-of-ids.js';
import {
  type DeletionMarks,
  deleteEvents,
  deleteEventsBefore,
  deleteProfiles,
  deleteProject,
  type MutationTarget,
} from './delete-events.js';
import { type Engine, EngineError } from './engine/engine.js';
import type { Settings } from './engine/protocol.js';
import { type Supervisor, superviseEngine } from './engine/supervisor.js';
import { type EngineMessage, insertError, parseEngineMessage, readError, TOO_MUCH_MEMORY } from './errors.js';
import { migrate } from './migrate.js';
import { createPersonTables } from './person-tables.js';
import { createReadFence } from './read-fence.js';
import { createPropertiesCodec } from './row-binary/index.js';
import { encodeRows, parseResult } from './rows.js';
import {
  DATABASE,
  type EventsOptions,
  fsyncSettings,
  INSERT_DEADLINE,
  insertSettings,
  readSettings,
  WRITE_DEADLINE,
} from './settings.js';
import { readStoreSpace } from './space.js';
import { statementParams } from './sql-literals.js';
import { filteredNames, mutationsOf } from './topology.js';
import { type ApplyTarget, createApplyRecords } from './wal/apply-records.js';
import { openWal, type Wal } from './wal/wal.js';

/** Bytes of lists of distinct ids, beside those of the engine's memory. */
const LISTS_SHARE = 1 / 32;
/** Longest wait at start for the engine of a service that was killed; milliseconds. */
const PATIENCE = 5_000;

/**
 * Opens the embedded engine (the npm package chdb) in a process of its own on `<dataDir>/events`.
 * @throws EventsUnavailable in one sentence when another process holds the directory
 */
export async function openEmbeddedEvents(config: Config, { log, scheduler, metrics }: EventsOptions): Promise<EventsStore> {
  const path = join(config.dataDir, 'events');
  await mkdir(path, { recursive: true });
  const restarts = metrics && restartCounter(metrics);
  const options = { path, memory: config.engineMemory, database: DATABASE, patience: PATIENCE };
  const supervisor = await superviseEngine(options, { log, scheduler, onRestart: () => restarts?.inc() }).catch((error) => {
    throw startError(error, path);
  });
  const readMemory = Math.floor(config.engineMemory / 2);

  /** Runs a statement that changes tables. The next ones wait behind one that hangs, so an engine that takes longer than `ms` is restarted. */
  async function change(
    call: (engine: Engine) => ReturnType<Engine['call']>,
    ms: number,
    translate: (message: EngineMessage) => Error,
  ): Promise<void> {
    const engine = supervisor.engine();
    const cancel = deadline(scheduler, ms, engine.kill);
    try {
      await call(engine).result;
    } catch (error) {
      throw translated(error, translate);
    } finally {
      cancel();
    }
  }
  const writing = (translate: (message: EngineMessage) => Error) => (sql: string) =>
    change((engine) => engine.call({ op: 'write', sql }), WRITE_DEADLINE, translate);
  const write = writing(readError);
  const copy = async (sql: string): Promise<void> => {
    try {
      await supervisor.guard(supervisor.engine().call({ op: 'copy', sql }).result);
    } catch (error) {
      throw translated(error, insertError);
    }
  };
  const changeMemory: EngineTables['changeMemory'] = async ({ sql, params: values }) => {
    const params = statementParams(sql, values);
    const settings = readSettings({ sql, workload: 'background' }, readMemory);
    try {
      await supervisor.guard(supervisor.engine().call({ op: 'memory', sql, params, settings }).result);
    } catch (error) {
      throw translated(error, readError);
    }
  };
  // a process may open a store again
  const opened = randomBytes(8).toString('hex');
  let inserts = 0;

  const inserted = (call: (engine: Engine, settings: Settings) => ReturnType<Engine['call']>): Promise<void> =>
    // a new token each time: the engine may remember the token of an insert that it lost in a crash
    change((engine) => call(engine, insertSettings(`${opened} ${++inserts}`)), INSERT_DEADLINE, insertError);

  async function read<Row>(statement: ReadStatement, more: Settings): Promise<ReadResult<Row>> {
    const params = statementParams(statement.sql, statement.params);
    const engine = supervisor.engine();
    const settings = { ...readSettings(statement, readMemory), ...more };
    const { sql, tenant = null, workload = 'interactive' } = statement;
    const call = engine.call({ op: 'read', sql, params, settings, tenant, workload });
    try {
      return parseResult(await unlessAborted(supervisor.guard(call.result), statement.signal));
    } catch (error) {
      // the caller has gone; an engine that has ended ignores the request
      if (statement.signal?.aborted || error instanceof EventsUnavailable) {
        engine.call({ op: 'kill', read: call.id }).result.catch(() => {});
      }
      throw translated(error, readError);
    }
  }

  const tables: Tables = {
    query: async (statement) => {
      statement.signal?.throwIfAborted();
      try {
        return await read(statement, {});
      } catch (error) {
        if (!(error instanceof QueryFailed && error.code === TOO_MUCH_MEMORY)) throw error;
        // each thread aggregates on its own, so fewer threads need less memory for the same groups
        return read(statement, { max_threads: 1 });
      }
    },
    insert: (into, rows) => inserted((engine, settings) => engine.call({ op: 'insert', ...into, settings }, rows)),
    insertRanges: (into, ranges) =>
      inserted((engine, settings) => engine.call({ op: 'insertRanges', ...into, settings, ranges })),
    rowFilterTables: filteredNames(null),
    ping: async () => {
      const { rows } = await tables.query<{ version: string }>({ sql: 'SELECT version() AS version', maxSeconds: 5 });
      return { version: rows[0]?.version ?? '' };
    },
    close: () => supervisor.close(),
  };

  try {
    const target = {
      write,
      applied: async () =>
        (await tables.query<{ name: string }>({ sql: 'SELECT DISTINCT name FROM schema_migrations' })).rows.map(
          (row) => row.name,
        ),
    };
    // each statement can be run again, by the engine that replaces one that hung or died meanwhile
    await retryWhile(
      scheduler,
      (error) => error instanceof EventsUnavailable,
      async () => {
        await migrate(target, log);
        for (const sql of MERGES_SCHEMA) await write(sql);
        for (const sql of await fsyncSettings(tables, config.fsync)) await write(sql);
      },
    );
    const engine = { tables, write: writing(insertError), alter: write, copy, changeMemory, supervisor };
    return await withWal(engine, config, { log, scheduler, metrics });
  } catch (error) {
    await supervisor.close();
    throw error;
  }
}

/** The engine's tables, without the log: an insert resolves when its rows are in them. */
type Tables = Pick<EventsStore, 'query' | 'rowFilterTables' | 'ping' | 'close'> & Pick<ApplyTarget, 'insert' | 'insertRanges'>;

interface EngineTables {
  tables: Tables;
  write(sql: string): Promise<void>;
  /** As `write`, of statements that are no inserts. */
  alter(sql: string): Promise<void>;
  /** Runs a statement that copies rows from or to a file. */
  copy(sql: string): Promise<void>;
  /** Runs a statement about tables in the engine's memory. */
  changeMemory(statement: Pick<ReadStatement, 'sql' | 'params'>): Promise<void>;
  supervisor: Supervisor;
}

/** Puts the write-ahead log before the inserts: rows are durable after some milliseconds, and in the tables before the next read. */
async function withWal(
  { tables, write, alter, copy, changeMemory, supervisor: { guard, answers } }: EngineTables,
  config: Config,
  { log, scheduler, metrics }: EventsOptions,
): Promise<EventsStore> {
  const directory = join(config.dataDir, 'events-log');
  const apply = createApplyRecords({
    target: { insert: tables.insert, insertRanges: tables.insertRanges, write },
    refusedFile: join(config.dataDir, 'events-refused.ndjson'),
    log,
    scheduler,
  });
  const wal = await openWal({ directory, fsync: config.fsync, log, apply, tablesAnswer: answers, scheduler });
  await wal.flushed();
  const flushed = () => guard(wal.flushed());
  const query: EventsStore['query'] = async (statement) => {
    if (!statement.allowStale) await unlessAborted(flushed(), statement.signal);
    return tables.query(statement);
  };
  // no other process writes into these tables
  const changes = createChanges(query, createDaysOfIds(query, scheduler, { bytes: config.engineMemory * LISTS_SHARE }));
  const persons = createChangedPersons(() => scheduler.uptime());
  const marks: DeletionMarks = {
    begun: async (kind, days) => {
      persons.anybody(days.map(({ project }) => project));
      await changes.deletions.begun(kind, days);
    },
    ended: async (kind, projects) => {
      persons.anybody(projects);
      await changes.deletions.ended(kind, projects);
    },
  };
  // each of its reads waits for the log, so that what was acknowledged before a deletion is seen by it
  const mutations: MutationTarget = { query, write: alter, mutations: mutationsOf(null), marks };
  const gate = createInsertGate();
  const fence = createReadFence(() => scheduler.uptime());
  const merges = createMerges({
    query,
    write: alter,
    mutations: mutationsOf(null),
    uptime: () => scheduler.uptime(),
    refuseBefore: async (projectId, time) => {
      if (!fence.raise(projectId, time)) return false;
      await flushed();
      if (wal.state().bytes > 0) return false;
      // after a crash, records of the log's files are stored again, also those that were changed in the tables
      await wal.rotate();
      return true;
    },
  });
  if (metrics) walGauges(metrics, wal, merges);
  const copies = await createEmbeddedCopies({
    directory: join(config.dataDir, 'events'),
    query,
    write,
    copy,
    gate,
    scheduler,
    applied: async () => {
      await flushed();
      if (wal.state().bytes > 0) throw new EventsFull('The disk of the event store is full.');
    },
  });
  /** Rows that were deleted from the tables may still be in the log, whose file is deleted when it is full. */
  const alsoFromWal = async (deletion: Promise<boolean>): Promise<boolean> => {
    const areGone = await deletion;
    if (areGone) await wal.rotate();
    return areGone;
  };
  return {
    ...tables,
    replicas: null,
    query,
    codec: createPropertiesCodec(),
    insert: async (table, rows, { token, readAt, isBackground = false }) => {
      if (rows.length === 0) return [];
      return fence.pass(rows, readAt, async () => {
        const { format, bytes } = await encodeRows(table, rows, scheduler);
        try {
          await gate.pass(() => wal.append({ table, format, rows: bytes, token }, isBackground));
        } catch (error) {
          changes.failed(rows);
          persons.failed(rows);
          throw error;
        } finally {
          changes.inserted(table, rows);
          persons.inserted(table, rows, readAt);
        }
        return [];
      });
    },
    copies,
    space: async () => {
      const [space, log] = await Promise.all([readStoreSpace(tables.query, null), sizeOf(directory)]);
      return { ...space, logBytes: space.logBytes + log };
    },
    acceptsInserts: () => wal.hasCapacity() || answers(),
    dataVersion: async (projectId) => changes.versionOf(projectId),
    personTables: createPersonTables({
      change: async (statement) => {
        await flushed();
        await changeMemory(statement);
      },
      query: tables.query,
      persons,
      memory: config.engineMemory,
    }),
    deleteProject: async (projectId) => (await alsoFromWal(deleteProject(mutations, projectId))) && merges.forget(projectId),
    deleteEvents: (projectId, erased) => alsoFromWal(deleteEvents(mutations, projectId, erased)),
    deleteProfiles: async (projectId, erased) =>
      (await alsoFromWal(deleteProfiles(mutations, projectId, erased))) &&
      merges.forget(
        projectId,
        erased.flatMap(({ distinctIds }) => distinctIds),
      ),
    deleteEventsBefore: (limits) => deleteEventsBefore(mutations, limits),
    merges,
    close: async () => {
      await wal.close();
      await tables.close();
    },
  };
}

/** Bytes of the files in a directory. */
async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(directory)) {
    // the log deletes files at any time
    bytes += await stat(join(directory, name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}

/** The work's result; rejects with the abort reason at once, also while the read waits in line. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  // nothing else handles a rejection after the abort
  work.catch(() => {});
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

function translated(error: unknown, translate: (message: EngineMessage) => Error): unknown {
  if (!(error instanceof EngineError)) return error;
  const message = parseEngineMessage(error.message);
  if (message) return translate(message);
  // an error of the engine process itself, not of the engine
  if (/^(ENOSPC|EDQUOT)\b/.test(error.message)) return new EventsFull('The disk of the event store is full.');
  return new EventsUnavailable('The event engine failed in an unknown way.');
}

function startError(error: unknown, path: string): unknown {
  if (!(error instanceof EngineError)) return error;
  if (parseEngineMessage(error.message)?.text.startsWith('Cannot lock file')) {
    return new EventsUnavailable(
      `The event data in ${path} is in use by another process: stop it first, or set TIDEMARK_DATA to another directory.`,
    );
  }
  return new EventsUnavailable(`The event data in ${path} cannot be opened: ${error.message}`);
}

function walGauges(registry: Registry, wal: Wal, merges: AppliedMerges): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('tidemark_event_log_bytes', 'Bytes of rows in the event log that are not in their tables yet', () => wal.state().bytes);
  gauge('tidemark_event_log_seconds', 'How long the oldest of them has been waiting', () => wal.state().seconds);
  gauge('tidemark_person_overrides', 'Distinct ids whose events are looked up for their person', () => merges.counts().stored);
  gauge(
    'tidemark_person_overrides_applied',
    'Those whose person was written into their events since the start',
    () => merges.counts().applied,
  );
}

function restartCounter(registry: Registry): Counter {
  return new Counter({
    name: 'tidemark_event_engine_restarts_total',
    help: 'Times that the embedded event engine ended unexpectedly and was started again',
    registers: [registry],
  });
}
