import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { Config } from '../../config.js';
import { type EventsStore, EventsUnavailable } from '../../ports/events.js';
import { EngineError } from './engine/engine.js';
import type { Request } from './engine/protocol.js';
import { superviseEngine } from './engine/supervisor.js';
import { type EngineMessage, insertError, parseEngineMessage, readError } from './errors.js';
import { fsyncSettings } from './fsync-settings.js';
import { migrate } from './migrate.js';
import { statementParams } from './params.js';
import { parseResult } from './result.js';
import { DATABASE, INSERT_DEADLINE, insertSettings, readSettings } from './settings.js';

/** Milliseconds that a start waits for the engine of a killed predecessor. */
const PATIENCE = 5_000;

/**
 * The event engine inside npm, in a process of its own on `<dataDir>/events`.
 * @throws EventsUnavailable in one sentence when another process holds the directory
 */
export async function openEmbeddedEvents(config: Config, log: Logger, metrics?: Registry): Promise<EventsStore> {
  const path = join(config.dataDir, 'events');
  await mkdir(path, { recursive: true });
  const restarts = metrics && restartCounter(metrics);
  const options = { path, memory: config.engineMemory, database: DATABASE, patience: PATIENCE };
  const supervisor = await superviseEngine(options, log, () => restarts?.inc()).catch((error) => {
    throw startError(error, path);
  });
  const readMemory = Math.floor(config.engineMemory / 2);

  const send = async (request: Request, translate: (message: EngineMessage) => Error, body?: Buffer) =>
    supervisor
      .engine()
      .call(request, body)
      .result.catch((error) => {
        throw translated(error, translate);
      });

  const store: EventsStore = {
    query: async (statement) => {
      statement.signal?.throwIfAborted();
      const params = statementParams(statement.sql, statement.params);
      const engine = supervisor.engine();
      const read = engine.call({ op: 'read', sql: statement.sql, params, settings: readSettings(statement, readMemory) });
      try {
        return parseResult(await unlessAborted(read.result, statement.signal));
      } catch (error) {
        if (statement.signal?.aborted) engine.call({ op: 'kill', read: read.id }).result.catch(() => {});
        throw translated(error, readError);
      }
    },
    insert: async (table, rows, { token }) => {
      if (rows.length === 0) return;
      const engine = supervisor.engine();
      // statements wait in line behind one that hangs, so an engine that is this late has to be started again
      const deadline = setTimeout(engine.kill, INSERT_DEADLINE);
      try {
        await engine.call({ op: 'insert', table, settings: insertSettings(token) }, rows).result;
      } catch (error) {
        throw translated(error, insertError);
      } finally {
        clearTimeout(deadline);
      }
    },
    ping: async () => {
      const { rows } = await store.query<{ version: string }>({ sql: 'SELECT version() AS version', maxSeconds: 5 });
      return { version: rows[0]?.version ?? '' };
    },
    close: () => supervisor.close(),
  };

  try {
    await migrate(
      {
        write: async (sql) => {
          await send({ op: 'write', sql }, readError);
        },
        applied: async () =>
          (await store.query<{ name: string }>({ sql: 'SELECT DISTINCT name FROM schema_migrations' })).rows.map(
            (row) => row.name,
          ),
      },
      log,
    );
    for (const sql of await fsyncSettings(store, config.fsync)) await send({ op: 'write', sql }, readError);
    return store;
  } catch (error) {
    await supervisor.close();
    throw error;
  }
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
  return message ? translate(message) : new EventsUnavailable('The event engine failed in an unknown way.');
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

function restartCounter(registry: Registry): Counter {
  return new Counter({
    name: 'tidemark_event_engine_restarts_total',
    help: 'Times that the embedded event engine ended unexpectedly and was started again',
    registers: [registry],
  });
}
