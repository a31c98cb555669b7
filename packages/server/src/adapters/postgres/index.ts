import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import { retryWhile, sleep, withinTime } from '../../kernel/scheduler.js';
import { createWatchdog } from '../../kernel/watchdog.js';
import type { Changes } from '../../ports/changes.js';
import type { DB, Db } from '../../ports/db.js';
import type { Scheduler } from '../../ports/system.js';
import { runningAddress, startEmbedded } from './embedded/index.js';
import { listenToChanges } from './listen.js';
import { MIGRATION_LOCK, migrate } from './migrate.js';
import { connectWhenReady, isTransient, noResponse, openPool } from './pool.js';
import { prepared } from './prepared.js';
import { createPulse } from './pulse.js';
import { createServers, reasonOf, type Servers } from './servers.js';
import { watchSessions } from './sessions.js';

/** The metadata database, open and migrated. */
export interface Postgres {
  db: Db;
  /** Address with password: never for a log. */
  url: string;
  /** Migrates another store while no other server migrates one. */
  migrateAlone<T>(work: () => Promise<T>): Promise<T>;
  /** Hears of changes by any process, until the close. */
  listenToChanges(): Promise<Changes>;
  /** Ends all connections, and the embedded server with them. */
  close(): Promise<void>;
}

/** How long a given server may take to become reachable; milliseconds. */
const PATIENCE_MS = 30_000;
/** Pause between two attempts to become the server that migrates; milliseconds. */
const LOCK_PAUSE_MS = 250;
/** How long a close waits for connections in use before it goes on without them; milliseconds. */
const DRAIN_MS = 5_000;

/**
 * Opens the server of `config.databaseUrl`, else the embedded one in the data directory (whose lock the caller holds),
 * and brings its schema up to date.
 * @param patience how long a given server may take to become reachable; milliseconds
 * @throws Error in one sentence
 */
export async function openPostgres(config: Config, log: Logger, scheduler: Scheduler, patience = PATIENCE_MS): Promise<Postgres> {
  const embedded = config.databaseUrl ? null : await startEmbedded(config, log, scheduler);
  const servers = embedded
    ? createServers(embedded.url)
    : await reachable(config.databaseUrl ?? '', { log, scheduler, patience });
  const pulse = createPulse(embedded ? createServers(embedded.maintenanceUrl) : servers, embedded?.socketDir ?? null);
  const watchdog = createWatchdog({
    scheduler,
    probe: pulse.probe,
    error: () => noResponse(),
    onHung: () => {
      if (embedded) log.error('PostgreSQL hangs, and is killed and started again');
      embedded?.kill();
    },
  });
  const sessions = watchSessions(pulse, scheduler, embedded !== null);
  const unwatch = () => {
    watchdog.stop();
    sessions.stop();
    pulse.close();
  };
  try {
    await retryWhile(scheduler, isTransient, () => migrate(servers, log, { server: watchdog.guard, session: sessions.watch }));
  } catch (error) {
    unwatch();
    await embedded?.stop();
    if (error instanceof pg.DatabaseError) throw unusable(reasonOf(error), error);
    throw error;
  }
  const pool = openPool(servers, config.databaseConnections, log);
  const hearing: { close(): Promise<void> }[] = [];
  const db: Db = new Kysely<DB>({
    dialect: new PostgresDialect({
      pool: prepared(pool, servers, scheduler, { server: watchdog.guard, session: sessions.watch }),
    }),
  });
  return {
    db,
    url: servers.url(),
    migrateAlone: (work) =>
      // of a transaction: a pooler may give the statements of a session to several
      db.transaction().execute(async (tx) => {
        await sql`select set_config('idle_in_transaction_session_timeout', '0', true)`.execute(tx);
        // asked for again and again: a statement that waits would end after half a minute
        const lock = sql<{ is_mine: boolean }>`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as is_mine`;
        while (!(await lock.execute(tx)).rows[0]?.is_mine) await sleep(scheduler, LOCK_PAUSE_MS);
        return work();
      }),
    async listenToChanges() {
      const changes = await listenToChanges(servers, { log, scheduler });
      hearing.push(changes);
      return changes;
    },
    async close() {
      unwatch();
      for (const changes of hearing) await changes.close();
      const drained = pool.end();
      await withinTime(scheduler, DRAIN_MS, drained, () => {});
      await embedded?.stop();
    },
  };
}

/**
 * Opens the metadata database beside the service that uses it: the server of `config.databaseUrl`, else the embedded one that
 * another process runs on the data directory. Changes nothing of its schema.
 * @throws Error in one sentence
 */
export async function joinPostgres(config: Config, log: Logger, scheduler: Scheduler): Promise<Pick<Postgres, 'db' | 'close'>> {
  const servers = await reachable(config.databaseUrl ?? (await runningAddress(config.dataDir)), {
    log,
    scheduler,
    patience: PATIENCE_MS,
  });
  const pool = openPool(servers, 1, log);
  return {
    db: new Kysely<DB>({ dialect: new PostgresDialect({ pool: prepared(pool, servers, scheduler) }) }),
    close: () => pool.end(),
  };
}

/** The servers of an address, one of them reachable. */
async function reachable(
  address: string,
  { log, scheduler, patience }: { log: Logger; scheduler: Scheduler; patience: number },
): Promise<Servers> {
  const servers = createServers(address);
  const cancel = scheduler.after(1_000, () => log.info('waiting for the PostgreSQL of DATABASE_URL'));
  try {
    const client = await connectWhenReady(servers, scheduler, AbortSignal.timeout(patience));
    await client.end();
    return servers;
  } catch (error) {
    throw unusable(reasonOf(error), error);
  } finally {
    cancel();
  }
}

const unusable = (reason: string, cause: unknown) =>
  new Error(`The PostgreSQL of DATABASE_URL cannot be used: ${reason}.`, { cause });
