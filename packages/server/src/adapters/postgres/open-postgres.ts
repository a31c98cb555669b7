import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import type { Changes } from '../../ports/changes.js';
import type { DB, Db } from '../../ports/db.js';
import { hearChanges } from './changes.js';
import { connectWhenReady } from './connect.js';
import { startEmbedded } from './embedded/index.js';
import { migrate } from './migrate.js';
import { openPool } from './pool.js';
import { prepared } from './prepared.js';

/** The metadata database, open and migrated. */
export interface Postgres {
  db: Db;
  /** Address with password: never for a log. */
  url: string;
  /** Hears of changes by any process, until the close. */
  hearChanges(): Promise<Changes>;
  /** Ends all connections, and the embedded server with them. */
  close(): Promise<void>;
}

/** How long a given server may take to become reachable; milliseconds. */
const PATIENCE_MS = 30_000;
/** How long a close waits for connections in use before it goes on without them; milliseconds. */
const DRAIN_MS = 5_000;

/**
 * Opens the server of `config.databaseUrl`, else the embedded one in the data directory (whose lock the caller holds),
 * and brings its schema up to date.
 * @throws Error in one sentence
 */
export async function openPostgres(config: Config, log: Logger): Promise<Postgres> {
  const embedded = config.databaseUrl ? null : await startEmbedded(config.dataDir, config.fsync, log);
  const url = embedded?.url ?? (await reachable(config.databaseUrl ?? '', log));
  try {
    await migrate(url, log);
  } catch (error) {
    await embedded?.stop();
    if (error instanceof pg.DatabaseError) throw unusable(error.message, error);
    throw error;
  }
  const pool = openPool(url, config.databaseConnections, log);
  const hearing: { close(): Promise<void> }[] = [];
  const db: Db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: prepared(pool) }) });
  return {
    db,
    url,
    async hearChanges() {
      const changes = await hearChanges(url, log);
      hearing.push(changes);
      return changes;
    },
    async close() {
      for (const changes of hearing) await changes.close();
      const drained = pool.end();
      await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())]);
      await embedded?.stop();
    },
  };
}

async function reachable(url: string, log: Logger): Promise<string> {
  const waiting = setTimeout(() => log.info('waiting for the PostgreSQL of DATABASE_URL'), 1_000);
  try {
    const client = await connectWhenReady(url, AbortSignal.timeout(PATIENCE_MS));
    await client.end();
    return url;
  } catch (error) {
    const reason = error instanceof Error ? error.message || String(Reflect.get(error, 'code')) : String(error);
    throw unusable(reason, error);
  } finally {
    clearTimeout(waiting);
  }
}

const unusable = (reason: string, cause: unknown) =>
  new Error(`The PostgreSQL of DATABASE_URL cannot be used: ${reason}.`, { cause });
