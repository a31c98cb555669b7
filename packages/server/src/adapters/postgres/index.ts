import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import { retryWhile, sleep, withinTime } from '../../kernel/scheduler.js';
import { createWatchdog } from '../../kernel/watchdog.js';
import type { Changes } from '../../ports/changes.js';
import type { DB, Db } from '../../ports/db.js';
import type { Clock, Scheduler } from '../../ports/system.js';
import { systemClock } from '../system/index.js';
import { requireSameClock } from './clocks.js';
import { runningAddress, startEmbedded } from './embedded/index.js';
import { listenToChanges } from './listen.js';
import { MIGRATION_LOCK, migrate } from './migrate.js';
import { connectWhenReady, noResponse, openPool, passes } from './pool.js';
import { examinePooler, hears } from './pooler.js';
import { prepared } from './prepared.js';
import { createPulse } from './pulse.js';
import { createServers, reasonOf, type Servers } from './servers.js';
import { watchSessions } from './sessions.js';

export { knownMigrations, readMigrations } from './migrate.js';

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

interface OpenOptions {
  /** How long a given server may take to become reachable; milliseconds. */
  patience?: number;
  /** Versions that are applied at most; undefined: all. */
  migrations?: readonly number[] | undefined;
  /** Applies none, and opens a newer database as well: for reading what it has. */
  keepsSchema?: boolean;
  /** Connections that the embedded server accepts. */
  maxConnections?: number;
  /** That of this machine. */
  clock?: Clock;
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
 * @throws Error in one sentence
 */
export async function openPostgres(
  config: Config,
  log: Logger,
  scheduler: Scheduler,
  { patience = PATIENCE_MS, migrations, keepsSchema = false, maxConnections = 50, clock = systemClock }: OpenOptions = {},
): Promise<Postgres> {
  const embedded = config.databaseUrl ? null : await startEmbedded({ ...config, maxConnections }, log, scheduler);
  const servers = embedded
    ? createServers(embedded.url)
    : await reachable(config.databaseUrl ?? '', { log, scheduler, patience });
  // what needs a session of its own
  const direct = config.databaseDirectUrl
    ? await reachable(config.databaseDirectUrl, { log, scheduler, patience, name: 'DATABASE_DIRECT_URL' })
    : servers;
  await requireHearing(servers, direct, scheduler);
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
    if (!keepsSchema) {
      await retryWhile(scheduler, passes, () =>
        migrate(direct, log, { server: watchdog.guard, session: sessions.watch, only: migrations }),
      );
    }
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
  if (!embedded && !keepsSchema) {
    try {
      await retryWhile(scheduler, passes, () => requireSameClock(db, clock));
    } catch (error) {
      unwatch();
      await pool.end();
      throw error;
    }
  }
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
      const changes = await listenToChanges(direct, { log, scheduler });
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
 * @param options.patience how long the server may take to become reachable; milliseconds
 * @throws Error in one sentence
 */
export async function joinPostgres(
  config: Config,
  log: Logger,
  scheduler: Scheduler,
  { connections = 1, patience = PATIENCE_MS }: { connections?: number; patience?: number } = {},
): Promise<Pick<Postgres, 'db' | 'close'>> {
  const servers = await reachable(config.databaseUrl ?? (await runningAddress(config.dataDir)), {
    log,
    scheduler,
    patience,
  });
  const pool = openPool(servers, connections, log);
  return {
    db: new Kysely<DB>({ dialect: new PostgresDialect({ pool: prepared(pool, servers, scheduler) }) }),
    close: () => pool.end(),
  };
}

/** The servers of an address, one of them reachable. */
async function reachable(
  address: string,
  {
    log,
    scheduler,
    patience,
    name = 'DATABASE_URL',
  }: { log: Logger; scheduler: Scheduler; patience: number; name?: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' },
): Promise<Servers> {
  const servers = createServers(address);
  const cancel = scheduler.after(1_000, () => log.info(`waiting for the PostgreSQL of ${name}`));
  try {
    const client = await connectWhenReady(servers, scheduler, AbortSignal.timeout(patience));
    try {
      servers.pooler = await examinePooler(client, servers, scheduler);
      if (!servers.pooler.takesLimits) await warnOfLimits(client, log);
    } finally {
      await client.end();
    }
    return servers;
  } catch (error) {
    throw unusable(reasonOf(error), error, name);
  } finally {
    cancel();
  }
}

/** Warns of statements without a limit, unless the role has one. */
async function warnOfLimits(client: pg.Client, log: Logger): Promise<void> {
  const { rows } = await client.query<{ limit: string }>(`select current_setting('statement_timeout') as limit`);
  if (rows[0]?.limit === '0') {
    log.warn(
      "the connection pooler of DATABASE_URL refuses limits of statements: give the role one, such as alter role tidemark set statement_timeout = '30s'",
    );
  }
}

/**
 * Requires that changes which are sent through `servers` are heard at `direct`.
 * @throws Error with one sentence: a connection pooler would swallow them
 */
async function requireHearing(servers: Servers, direct: Servers, scheduler: Scheduler): Promise<void> {
  if (servers === direct) {
    if (servers.pooler.keepsSessions) return;
    throw new Error(
      'DATABASE_URL leads to a connection pooler in transaction mode, through which changes by other servers are not heard: set DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
    );
  }
  if (direct.pooler.keepsSessions && (await hears({ at: direct, from: servers }, scheduler))) return;
  throw new Error(
    'What is sent through DATABASE_URL is not heard at DATABASE_DIRECT_URL: it must be the address of PostgreSQL itself, and of the same database.',
  );
}

const unusable = (reason: string, cause: unknown, name = 'DATABASE_URL') =>
  new Error(`The PostgreSQL of ${name} cannot be used: ${reason}.`, { cause });
