import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { joinPostgres, openPostgres } from './adapters/postgres/index.js';
import { createScheduler, tryLockDataDirectory } from './adapters/system/index.js';
import type { Config } from './config.js';
import type { Db } from './ports/db.js';

export { readMigrations } from './adapters/postgres/index.js';

/** How long a command, for which somebody waits, waits for a given server to become reachable; milliseconds. */
const PATIENCE_MS = 5_000;

/** The metadata database, for a command. */
export interface Metadata {
  db: Db;
  close(): Promise<void>;
}

/**
 * Opens the metadata database of these settings, whether the service runs or not: beside a running service it joins the service's
 * embedded PostgreSQL, otherwise it starts that PostgreSQL until the close.
 * @param options.keepsSchema applies no migrations, and opens a newer database as well
 * @throws Error in one sentence
 */
export async function openMetadata(
  config: Config,
  log: Logger,
  { keepsSchema = false }: { keepsSchema?: boolean } = {},
): Promise<Metadata> {
  const scheduler = createScheduler();
  if (config.databaseUrl) return joinPostgres(config, log, scheduler, { patience: PATIENCE_MS });
  if (!existsSync(join(config.dataDir, 'postgres'))) {
    throw new Error(`There is no data of Tidemark in ${config.dataDir}: set TIDEMARK_DATA or DATABASE_URL as for the service.`);
  }
  const lock = await tryLockDataDirectory(config.dataDir);
  if (!lock) return joinPostgres(config, log, scheduler);
  try {
    const { db, close } = await openPostgres(config, log, scheduler, { keepsSchema });
    return { db, close: () => close().finally(lock.release) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
