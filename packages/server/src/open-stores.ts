import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openBlobs } from './adapters/blobs/index.js';
import { openEvents } from './adapters/clickhouse/index.js';
import { joinPostgres, knownMigrations, openPostgres } from './adapters/postgres/index.js';
import { createScheduler, lockDataDirectory, systemClock, tryLockDataDirectory } from './adapters/system/index.js';
import type { Stores } from './backup/index.js';
import type { Config } from './config.js';

export { openFolder } from './adapters/blobs/index.js';
export { createScheduler } from './adapters/system/index.js';
export { knownMigrations, systemClock };

/** The stores of an installation, for a command. */
export interface OpenStores extends Stores {
  close(): Promise<void>;
}

/** Whether nothing of an installation is in the data directory. */
export const hasOwnServers = ({ databaseUrl, clickhouseUrl, s3 }: Config): boolean =>
  databaseUrl !== null && clickhouseUrl !== null && s3 !== null;

/**
 * Opens the stores as the service does, whose place it takes.
 * @param migrations versions to which PostgreSQL is migrated at most; undefined: the newest
 * @throws Error in one sentence, also when the service runs
 */
export async function openStores(config: Config, log: Logger, migrations?: readonly number[]): Promise<OpenStores> {
  const lock = await lockDataDirectory(config.dataDir);
  return open(config, log, (scheduler) => openPostgres(config, log, scheduler, { migrations }), lock.release);
}

/**
 * Opens the stores beside the service, or in its place when it does not run; null: the service has them for itself.
 * @throws Error in one sentence
 */
export async function shareStores(config: Config, log: Logger): Promise<OpenStores | null> {
  if (hasOwnServers(config)) {
    return open(
      config,
      log,
      (scheduler) => joinPostgres(config, log, scheduler, CONNECTIONS),
      async () => {},
    );
  }
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'postgres'))) {
    throw new Error(`There is no data of Tidemark in ${config.dataDir}: set TIDEMARK_DATA or DATABASE_URL as for the service.`);
  }
  const lock = await tryLockDataDirectory(config.dataDir);
  return lock && open(config, log, (scheduler) => openPostgres(config, log, scheduler), lock.release);
}

/** Connections to PostgreSQL: a lock, a snapshot, and what is read beside it. */
const CONNECTIONS = 4;

async function open(
  config: Config,
  log: Logger,
  openDatabase: (scheduler: ReturnType<typeof createScheduler>) => Promise<{ db: Stores['db']; close(): Promise<void> }>,
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
