import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Config } from '../../config.js';
import { retryWhile } from '../../kernel/retry-while.js';
import { deadline } from '../../kernel/scheduler.js';
import {
  EventsFull,
  type EventsStore,
  EventsUnavailable,
  QueryFailed,
  type ReadResult,
  type ReadStatement,
} from '../../ports/events.js';
import { deleteEvents } from './delete-events.js';
import { deleteProject } from './delete-project.js';
import { type Engine, EngineError } from './engine/engine.js';
import type { Settings } from './engine/protocol.js';
import { type Supervisor, superviseEngine } from './engine/supervisor.js';
import { type EngineMessage, insertError, parseEngineMessage, readError, TOO_MUCH_MEMORY } from './errors.js';
import { fsyncSettings } from './fsync-settings.js';
import { migrate } from './migrate.js';
import { statementParams } from './params.js';
import { parseResult } from './result.js';
import { DATABASE, type EventsOptions, INSERT_DEADLINE, insertSettings, readSettings, WRITE_DEADLINE } from './settings.js';
import { createBringRows, type RowsTarget } from './wal/bring-rows.js';
import { type EventsLog, openEventsLog } from './wal/events-log.js';

/** Milliseconds that a start waits for the engine of a killed predecessor. */
const PATIENCE = 5_000;

/**
 * The event engine inside npm, in a process of its own on `<dataDir>/events`.
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

  /** A statement that changes tables. Others wait in line behind one that hangs, so an engine that is this late is started again. */
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
  let inserts = 0;

  const inserted = (call: (engine: Engine, settings: Settings) => ReturnType<Engine['call']>): Promise<void> =>
    // every insert counts, also one like another: the engine may remember one that it lost in a crash
    change((engine) => call(engine, insertSettings(`${performance.timeOrigin} ${++inserts}`)), INSERT_DEADLINE, insertError);

  async function read<Row>(statement: ReadStatement, more: Settings): Promise<ReadResult<Row>> {
    const params = statementParams(statement.sql, statement.params);
    const engine = supervisor.engine();
    const settings = { ...readSettings(statement, readMemory), ...more };
    const call = engine.call({ op: 'read', sql: statement.sql, params, settings, askedBy: statement.askedBy ?? null });
    try {
      return parseResult(await unlessAborted(supervisor.guard(call.result), statement.signal));
    } catch (error) {
      // nobody waits for it any more; an engine that has ended needs no order
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
        // each of several threads holds groups of its own, often the same ones
        return read(statement, { max_threads: 1 });
      }
    },
    insert: (into, rows) => inserted((engine, settings) => engine.call({ op: 'insert', ...into, settings }, rows)),
    insertFrom: (into, pieces) => inserted((engine, settings) => engine.call({ op: 'insertFrom', ...into, settings, pieces })),
    deleteProject: (projectId) => deleteProject({ query: tables.query, write }, projectId),
    deleteEvents: (projectId, erased) => deleteEvents({ query: tables.query, write }, projectId, erased),
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
    // each statement can be run again, by the engine that takes the place of one that hung or died meanwhile
    await retryWhile(
      scheduler,
      (error) => error instanceof EventsUnavailable,
      async () => {
        await migrate(target, log);
        for (const sql of await fsyncSettings(tables, config.fsync)) await write(sql);
      },
    );
    return await behindLog({ tables, write: writing(insertError), supervisor }, config, { log, scheduler, metrics });
  } catch (error) {
    await supervisor.close();
    throw error;
  }
}

/** The engine's tables: an insert is in them when it resolves. */
type Tables = Omit<EventsStore, 'insert' | 'dataVersion' | 'acceptsInserts'> & Pick<RowsTarget, 'insert' | 'insertFrom'>;

interface EngineTables {
  tables: Tables;
  write(sql: string): Promise<void>;
  supervisor: Supervisor;
}

/** The same store with a log before its inserts: rows are safe in some milliseconds, and reach the tables before the next read. */
async function behindLog(
  { tables, write, supervisor: { guard, answers } }: EngineTables,
  config: Config,
  { log, scheduler, metrics }: EventsOptions,
): Promise<EventsStore> {
  const directory = join(config.dataDir, 'events-log');
  const apply = createBringRows({
    target: { insert: tables.insert, insertFrom: tables.insertFrom, write },
    refusedFile: join(config.dataDir, 'events-refused.ndjson'),
    log,
  });
  const eventsLog = await openEventsLog({ directory, fsync: config.fsync, log, apply, isAppliedSoon: answers, scheduler });
  if (metrics) backlogGauges(metrics, eventsLog);
  await eventsLog.settled();
  const settled = () => guard(eventsLog.settled());
  /** Looks at what is to be deleted: after each of them there may be less. */
  let deletions = 0;
  return {
    ...tables,
    query: async (statement) => {
      if (!statement.behind) await unlessAborted(settled(), statement.signal);
      return tables.query(statement);
    },
    insert: async (table, rows, { token, format = 'lines' }) => {
      if (rows.length > 0) await eventsLog.append({ table, format, rows, token });
    },
    acceptsInserts: () => eventsLog.hasRoom() || answers(),
    // nobody else writes into these tables
    dataVersion: async () => `${await guard(eventsLog.version())}.${deletions}`,
    deleteProject: async (projectId) => {
      await settled();
      return tables.deleteProject(projectId);
    },
    deleteEvents: async (projectId, erased) => {
      await settled();
      const areGone = await tables.deleteEvents(projectId, erased);
      deletions += 1;
      return areGone;
    },
    close: async () => {
      await eventsLog.close();
      await tables.close();
    },
  };
}

/** The work's result, or the reason of the abort as soon as it comes: a read may still be waiting in line. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  // the loser of the race has nobody else to hear its failure
  work.catch(() => {});
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

function translated(error: unknown, translate: (message: EngineMessage) => Error): unknown {
  if (!(error instanceof EngineError)) return error;
  const message = parseEngineMessage(error.message);
  if (message) return translate(message);
  // what its process says by itself
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

function backlogGauges(registry: Registry, eventsLog: EventsLog): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge(
    'tidemark_event_log_bytes',
    'Bytes of rows in the event log that are not in their tables yet',
    () => eventsLog.state().bytes,
  );
  gauge('tidemark_event_log_seconds', 'How long the oldest of them has been waiting', () => eventsLog.state().seconds);
}

function restartCounter(registry: Registry): Counter {
  return new Counter({
    name: 'tidemark_event_engine_restarts_total',
    help: 'Times that the embedded event engine ended unexpectedly and was started again',
    registers: [registry],
  });
}
