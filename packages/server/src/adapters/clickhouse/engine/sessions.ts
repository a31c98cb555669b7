import { Session } from 'chdb';
import { type Scheduler, sleep } from '../../../kernel/scheduler.js';
import { MAX_STATEMENT } from '../settings.js';
import { settingsClause } from '../sql-literals.js';
import { createCopier } from './copier.js';
import { type EngineOptions, type InsertTarget, MEMORY_DATABASE, type NumberedRequest, type Settings } from './protocol.js';
import { bind, type ReadPool, readPool } from './read-pool.js';
import { serialSession } from './serial-session.js';
import { openSpool } from './spool.js';

/** Inserts that run at the same time: two of events, and one of persons or groups. */
const WRITERS = 3;

/** Reads that run at the same time. Others are queued. */
const READERS = 5;

/** Pause between attempts to open a directory that another process has locked; milliseconds. */
const LOOK_AGAIN = 100;

/**
 * The engine's sessions on one directory. A session runs one statement at a time, so inserts, reads and control statements have sessions
 * of their own.
 */
export interface Sessions {
  /** Resolves when the rows are stored. */
  insert(into: InsertTarget, rows: Buffer, settings: Settings): Promise<undefined>;
  write(sql: string): Promise<undefined>;
  /** Copies rows to or from a file. Calls wait for each other. */
  copy(sql: string): Promise<undefined>;
  /** Changes a table of {@link MEMORY_DATABASE}. Calls wait for each other. */
  changeMemory(request: Extract<NumberedRequest, { op: 'memory' }>): Promise<undefined>;
  read: ReadPool['read'];
  kill: ReadPool['kill'];
  close(): Promise<undefined>;
}

/** Opens the engine. Waits while the engine of a service that died is still exiting. */
export async function openSessions(options: EngineOptions, scheduler: Scheduler): Promise<Sessions> {
  const open = () => new Session(options.path, { connectionArgs: connectionArgs(options) });
  const writer = await openFirst(open, options.patience, scheduler);
  await writer.queryAsync(`CREATE DATABASE IF NOT EXISTS ${options.database} ENGINE = Atomic`);
  await writer.queryAsync(`USE ${options.database}`);
  await writer.queryAsync(`CREATE DATABASE IF NOT EXISTS ${MEMORY_DATABASE} ENGINE = Memory`);
  const writers = Array.from({ length: WRITERS }, (_, i) => ({ session: i === 0 ? writer : open(), waiting: 0 }));
  const control = open();
  const readers = new Set<Session>();
  const openReader = async () => {
    const reader = open();
    await reader.queryAsync(`USE ${options.database}`);
    // parameters count towards the limit of the statement's text, and lists of person ids are long
    await reader.queryAsync(`SET max_query_size = ${MAX_STATEMENT}`);
    await reader.queryAsync('SET readonly = 2');
    readers.add(reader);
    return reader;
  };
  for (let i = 0; i < READERS; i++) await openReader();
  const pool = readPool([...readers], control, scheduler, (used) => {
    readers.delete(used);
    used.close();
    return openReader();
  });
  const incoming = await openSpool(control);
  const copier = await createCopier(open, options);
  const memory = serialSession(open, [`USE ${options.database}`, `SET max_query_size = ${MAX_STATEMENT}`]);

  return {
    insert: async ({ table, format }, rows, settings) => {
      const idlest = writers.reduce((best, next) => (next.waiting < best.waiting ? next : best));
      const into = `${options.database}.${table}`;
      idlest.waiting++;
      try {
        if (format === 'binary') await incoming.insert(idlest.session, into, rows, settings);
        else await idlest.session.insert({ table: into, values: rows, format: 'JSONEachRow', settings });
      } finally {
        idlest.waiting--;
      }
      return undefined;
    },
    write: async (sql) => {
      const [first] = writers;
      if (first) first.waiting++;
      try {
        await writer.queryAsync(sql);
      } finally {
        if (first) first.waiting--;
      }
      return undefined;
    },
    copy: (sql) => copier.run([sql]),
    changeMemory: ({ sql, params, settings }) => memory.run([...bind(params), `SET ${settingsClause(settings)}`, sql]),
    read: pool.read,
    kill: pool.kill,
    close: async () => {
      await pool.drain();
      copier.close();
      memory.close();
      for (const session of [...readers, control, ...writers.map(({ session }) => session)]) session.close();
      return undefined;
    },
  };
}

function connectionArgs({ memory }: EngineOptions): string[] {
  return [
    `--max_server_memory_usage=${memory}`,
    `--mark_cache_size=${Math.floor(memory / 16)}`,
    `--index_mark_cache_size=${Math.floor(memory / 64)}`,
    `--primary_index_cache_size=${Math.floor(memory / 16)}`,
  ];
}

async function openFirst(open: () => Session, patience: number, scheduler: Scheduler): Promise<Session> {
  for (let waited = 0; ; waited += LOOK_AGAIN) {
    try {
      return open();
    } catch (error) {
      // the engine writes the reason to stderr only
      if (waited >= patience) throw error;
    }
    await sleep(scheduler, LOOK_AGAIN);
  }
}
