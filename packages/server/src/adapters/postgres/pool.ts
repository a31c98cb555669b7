import pg from 'pg';
import type { Logger } from 'pino';

// ids and counts stay far below 2^53, and every row type says number
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Longest time a statement may run, and a transaction may stand still; milliseconds. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** A pool of connections that outlives the server it talks to. */
export function openPool(url: string, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 16,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'tidemark',
  });
  // A connection broke, in use (its query fails, too) or idle; unheard, either event would end the process.
  const lost = (error: Error) => log.debug({ reason: error.message }, 'lost a PostgreSQL connection');
  pool.on('connect', (client) => client.on('error', lost));
  pool.on('error', lost);
  return pool;
}
