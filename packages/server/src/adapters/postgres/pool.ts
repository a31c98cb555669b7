import pg from 'pg';
import type { Logger } from 'pino';
import { type Scheduler, sleep } from '../../kernel/scheduler.js';
import { sqlState } from '../../kernel/sql.js';
import { isReadOnly, requireWritable, type Servers } from './servers.js';

// ids and counts stay far below 2^53, and every row type says number
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Longest time a statement may run, and a transaction may stand still; milliseconds. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** Timeout of a statement on our side, milliseconds. It is above the server's: reaching it means that the connection is dead. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** Timeout of getting a connection, milliseconds. */
const CONNECT_TIMEOUT_MS = 4_000;
/** Duration of a reduced limit of the pool, after the server has refused a connection; milliseconds. */
const REDUCED_MS = 5_000;
const PAUSE_MS = 100;

/** Opens a pool that survives restarts of the server and of the network. @param most limit of its connections */
export function openPool(servers: Servers, most: number, log: Logger, silenceMs = QUERY_TIMEOUT_MS): pg.Pool {
  const options = {
    max: most,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    query_timeout: silenceMs,
    ...(servers.pooler.takesLimits
      ? { statement_timeout: STATEMENT_TIMEOUT_MS, idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS }
      : {}),
    application_name: 'tidemark',
  };
  const pool = new pg.Pool({
    ...options,
    Client: clientOf(servers),
    ...(servers.areSeveral ? { onConnect: requireWritable } : {}),
  });
  // Without a listener, an error of a connection ends the process. The query that uses the connection fails by itself.
  const lost = (error: Error) => log.debug({ reason: error.message }, 'lost a PostgreSQL connection');
  pool.on('connect', (client) => client.on('error', lost));
  pool.on('error', lost);
  return pool;
}

/** The class of connections to the server in use. */
function clientOf(servers: Servers): new () => pg.Client {
  return class extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super({ ...options, connectionString: servers.url() });
      servers.opened(this);
    }
  };
}

/**
 * Gets connections of a pool. When the server has reached its limit, the pool shares the open connections for some seconds. When the
 * server in use cannot be used, another one is chosen.
 * @throws Error when none is free within the timeout
 */
export function connector(pool: pg.Pool, servers: Servers, scheduler: Scheduler): () => Promise<pg.PoolClient> {
  const { options } = pool;
  const { max } = options;
  let isReduced = false;

  function limitToOpenConnections(): void {
    if (!isReduced) {
      isReduced = true;
      scheduler.after(REDUCED_MS, () => {
        isReduced = false;
        options.max = max;
      });
    }
    options.max = Math.max(1, pool.totalCount);
  }

  return async () => {
    const deadline = scheduler.uptime() + CONNECT_TIMEOUT_MS;
    for (;;) {
      try {
        const client = await pool.connect();
        if (servers.isCurrent(client)) return client;
        client.release(new Error('another server is in use'));
      } catch (error) {
        const isLate = scheduler.uptime() > deadline;
        const isGone = servers.areSeveral && !isFull(error) && (isTransient(error) || isReadOnly(error));
        // also when this caller is late: the next one must not try the same server again
        if (isGone) await servers.choose();
        if (isLate || !(isGone || isFull(error))) throw error;
        if (isGone) continue;
        limitToOpenConnections();
        if (pool.totalCount === 0) await sleep(scheduler, PAUSE_MS);
      }
    }
  };
}

/** Error of a call that the server does not respond to. */
export const noResponse = (cause?: unknown): Error =>
  Object.assign(new Error('PostgreSQL does not answer', { cause }), { code: 'ETIMEDOUT' });

/** Whether a statement got no response in time. */
export const isNoResponse = (error: unknown): boolean =>
  sqlState(error) === 'ETIMEDOUT' || (error instanceof Error && error.message === 'Query read timeout');

/** Whether the server has reached its limit of connections, or that of the role. */
const isFull = (error: unknown): boolean => sqlState(error) === '53300';

/** Pause between attempts, growing; milliseconds. A recovering server starts a process for each attempt. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/**
 * Connects to a server that may still be starting; of several to the one that accepts writes. The caller ends the connection.
 * @throws the server's error, or the last failure once `stopWaiting` is aborted
 */
export async function connectWhenReady(servers: Servers, scheduler: Scheduler, stopWaiting: AbortSignal): Promise<pg.Client> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    try {
      if (servers.areSeveral) await servers.choose();
      return await connectOnce(servers);
    } catch (error) {
      if (stopWaiting.aborted || !passes(error)) throw error;
    }
    await sleep(scheduler, pause);
  }
}

async function connectOnce(servers: Servers): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: servers.url(), connectionTimeoutMillis: 5_000, keepAlive: true });
  servers.opened(client);
  // a connection that breaks later fails its next query; without a listener the event would end the process
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    // not waited for: a session that hangs after its refusal does not close the connection
    client.end().catch(() => {});
    throw error;
  }
}

/** The disk of the server is full. */
const DISK_FULL = '53100';

/** Whether a start may wait for the end of an error: it is temporary, and nobody has to make room on a disk. */
export const passes = (error: unknown): boolean => isTransient(error) && sqlState(error) !== DISK_FULL;

/** Whether an error, or its cause, is temporary: a server that starts or ends, or a network that is down. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isTransient(error.cause)) return true;
  // errors of the form ERR_… are about settings, such as a certificate for another name
  return (
    /^(08|53|57P|E(?!RR_)[A-Z])/.test(sqlState(error)) || /terminated|timeout|does not answer|not queryable/.test(error.message)
  );
}
