import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openBlobs } from './adapters/blobs/index.js';
import { knownEventMigrations, openEvents } from './adapters/clickhouse/index.js';
import { joinPostgres, knownMigrations, openPostgres } from './adapters/postgres/index.js';
import { createScheduler, lockDataDirectory, systemClock, tryLockDataDirectory } from './adapters/system/index.js';
import { requireFinished, type Stores, schemaVersions } from './backup/index.js';
import type { Config } from './config.js';

export { openFolder } from './adapters/blobs/index.js';
export { createScheduler } from './adapters/system/index.js';
export { knownEventMigrations, knownMigrations, systemClock };

/** The stores of an installation, for a command. */
export interface OpenStores extends Stores {
  close(): Promise<void>;
}

/** Whether nothing of an installation is in the data directory. */
export const hasOwnServers = ({ databaseUrl, clickhouseUrl, s3 }: Config): boolean =>
  databaseUrl !== null && clickhouseUrl !== null && s3 !== null;

type Database = { db: Stores['db']; close(): Promise<void> };

export interface OpenOptions {
  /** Versions to which PostgreSQL is migrated at most; undefined: the newest. */
  migrations?: readonly number[] | undefined;
  /** Runs once the data directory is locked, before anything is opened. */
  begin?: () => Promise<void>;
}

/**
 * Opens the stores as the service does, whose place it takes.
 * @throws Error in one sentence, also when the service runs
 */
export async function openStores(config: Config, log: Logger, { migrations, begin }: OpenOptions = {}): Promise<OpenStores> {
  const lock = await lockDataDirectory(config.dataDir);
  try {
    await begin?.();
  } catch (error) {
    await lock.release();
    throw error;
  }
  return open(config, log, (scheduler) => openPostgres(config, log, scheduler, { migrations }), lock.release);
}

/**
 * Opens the stores beside the service, or in its place when it does not run; null: the service has them for itself.
 * @param mayMigrate false: data of an older version is refused, and not changed
 * @throws Error in one sentence
 */
export async function shareStores(config: Config, log: Logger, mayMigrate: boolean): Promise<OpenStores | null> {
  await requireFinished(config);
  if (hasOwnServers(config)) {
    return open(
      config,
      log,
      async (scheduler) => {
        const joined = await joinPostgres(config, log, scheduler, { connections: CONNECTIONS });
        return requireSchema(joined, 'use that version, or start this one first');
      },
      async () => {},
    );
  }
  requireData(config);
  const lock = await tryLockDataDirectory(config.dataDir);
  if (!lock) return null;
  return open(
    config,
    log,
    async (scheduler) => {
      const opened = await openPostgres(config, log, scheduler, { migrations: mayMigrate ? undefined : [] });
      return requireSchema(opened, 'use that version, or add --migrate, after which that version cannot open it any more');
    },
    lock.release,
  );
}

/** Requires that embedded stores have been made. @throws Error in one sentence */
export function requireData({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl || existsSync(join(dataDir, 'postgres'))) return;
  throw new Error(`There is no data of Tidemark in ${dataDir}: set TIDEMARK_DATA or DATABASE_URL as for the service.`);
}

/** Requires that a database has the schema of this version. @throws Error in one sentence, and closes it */
async function requireSchema<T extends Database>(database: T, advice: string): Promise<T> {
  try {
    const [applied, known] = [(await schemaVersions(database.db)) ?? [], await knownMigrations()];
    const [newest, newestKnown] = [Math.max(0, ...applied), Math.max(0, ...known)];
    if (newest > newestKnown) {
      throw new Error(
        `The data was last used by a newer Tidemark (schema ${newest}, this one knows ${newestKnown}): use that version or a later one.`,
      );
    }
    if (known.every((version) => applied.includes(version))) return database;
    throw new Error(`The data was last used by an older Tidemark (schema ${newest}, this one has ${newestKnown}): ${advice}.`);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Connections to PostgreSQL: a lock, a snapshot, and what is read beside it. */
const CONNECTIONS = 4;

async function open(
  config: Config,
  log: Logger,
  openDatabase: (scheduler: ReturnType<typeof createScheduler>) => Promise<Database>,
  release: () => Promise<void>,
): Promise<OpenStores> {
  const closing: (() => Promise<void>)[] = [release];
  const close = async () => {
    for (const one of closing.reverse()) await one();
  };
  try {
    const scheduler = createScheduler();
    const blobs = await openBlobs(config, log);
    closing.push(() => blobs.close());
    const { db, close: closeDatabase } = await openDatabase(scheduler);
    closing.push(closeDatabase);
    const events = await openEvents(config, { log, scheduler, clock: systemClock });
    closing.push(() => events.close());
    return { db, events, blobs, close };
  } catch (error) {
    await close();
    throw error;
  }
}
