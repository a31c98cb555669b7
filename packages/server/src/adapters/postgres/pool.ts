import pg from 'pg';
import type { Logger } from 'pino';
import { type Scheduler, sleep } from '../../kernel/scheduler.js';
import { sqlState } from '../../kernel/sql.js';

// ids and counts stay far below 2^53, and every row type says number
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Longest time a statement may run, and a transaction may stand still; milliseconds. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** How long a statement is waited for: who has heard nothing by then has lost the server, which would have ended it itself. Milliseconds. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** How long a connection is waited for; milliseconds. */
const PATIENCE_MS = 4_000;
/** After the server had no more connections to give, how long until the next is asked for; milliseconds. */
const FULL_MS = 5_000;
const PAUSE_MS = 100;

/** A pool of at most so many connections that outlives the server it talks to, and the network between. */
export function openPool(url: string, most: number, log: Logger, silenceMs = SILENCE_MS): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: most,
    connectionTimeoutMillis: PATIENCE_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: silenceMs,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'tidemark',
  });
  // A connection broke, in use (its query fails, too) or idle; unheard, either event would end the process.
  const lost = (error: Error) => log.debug({ reason: error.message }, 'lost a PostgreSQL connection');
  pool.on('connect', (client) => client.on('error', lost));
  pool.on('error', lost);
  return pool;
}

/**
 * How connections of a pool are obtained. When the server has no more of them to give, those that there are go from hand to hand for a while.
 * @throws Error when there is none for some seconds
 */
export function connector(pool: pg.Pool, scheduler: Scheduler): () => Promise<pg.PoolClient> {
  const { options } = pool;
  const { max } = options;
  let isReduced = false;

  function useWhatThereIs(): void {
    if (!isReduced) {
      isReduced = true;
      scheduler.after(FULL_MS, () => {
        isReduced = false;
        options.max = max;
      });
    }
    options.max = Math.max(1, pool.totalCount);
  }

  return async () => {
    const deadline = scheduler.uptime() + PATIENCE_MS;
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        if (!isFull(error) || scheduler.uptime() > deadline) throw error;
        useWhatThereIs();
        if (pool.totalCount === 0) await sleep(scheduler, PAUSE_MS);
      }
    }
  };
}

/** What a call fails with when the server does not answer. */
export const silence = (cause?: unknown): Error =>
  Object.assign(new Error('PostgreSQL does not answer', { cause }), { code: 'ETIMEDOUT' });

/** Whether a statement was waited for in vain. */
export const isSilence = (error: unknown): boolean =>
  sqlState(error) === 'ETIMEDOUT' || (error instanceof Error && error.message === 'Query read timeout');

/** PostgreSQL has as many connections as it may have, at all or of this role. */
const isFull = (error: unknown): boolean => sqlState(error) === '53300';

/** Pause between attempts, growing; milliseconds. A recovering server starts a process for each attempt. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/**
 * Connects to a server that may still be starting. The caller ends the connection.
 * @throws the server's error, or the last failure once `stopWaiting` is aborted
 */
export async function connectWhenReady(url: string, scheduler: Scheduler, stopWaiting: AbortSignal): Promise<pg.Client> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true });
    // a connection that breaks later fails its next query; without a listener the event would end the process
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (stopWaiting.aborted || !isNotYet(error)) throw error;
    }
    await sleep(scheduler, pause);
  }
}

/** Whether an error is temporary: a server that starts, or a network that is down. */
export function isNotYet(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(08|53|57P|E[A-Z])/.test(sqlState(error)) || /terminated|timeout|does not answer|not queryable/.test(error.message);
}
