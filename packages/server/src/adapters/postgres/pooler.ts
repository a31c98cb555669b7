import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withinTime } from '../../kernel/scheduler.js';
import { sqlState } from '../../kernel/sql.js';
import type { Scheduler } from '../../ports/system.js';
import { connectWhenReady } from './pool.js';
import type { Pooler, Servers } from './servers.js';
import { processIdOf } from './sessions.js';

/** How long a notification may take; milliseconds. */
const HEARD_MS = 3_000;

/**
 * Finds out whether a connection pooler such as PgBouncer stands before a server, and what it lets through.
 * @param client a connection through it
 */
export async function examinePooler(client: pg.Client, servers: Servers, scheduler: Scheduler): Promise<Pooler> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  // a pooler gives its clients process ids of its own
  if (rows[0]?.pid === processIdOf(client)) return { keepsSessions: true, takesLimits: true };
  const takesLimits = await takesParameters(servers);
  return { keepsSessions: await hears({ at: servers, from: servers }, scheduler), takesLimits };
}

/** Whether a connection may name limits of statements when it starts. PgBouncer refuses them unless its settings ignore them. */
async function takesParameters(servers: Servers): Promise<boolean> {
  const client = new pg.Client({ connectionString: servers.url(), connectionTimeoutMillis: HEARD_MS, statement_timeout: 60_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (sqlState(error) === '08P01') return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Whether a connection `at` one address hears a notification from another connection. It does not if a pooler shares sessions. */
export async function hears({ at, from }: { at: Servers; from: Servers }, scheduler: Scheduler): Promise<boolean> {
  const channel = `tidemark_test_${randomBytes(8).toString('hex')}`;
  const clients: pg.Client[] = [];
  const connect = async (servers: Servers) => {
    const client = await connectWhenReady(servers, scheduler, AbortSignal.timeout(HEARD_MS));
    clients.push(client);
    return client;
  };
  try {
    const listener = await connect(at);
    const heard = new Promise<boolean>((resolve) => listener.once('notification', () => resolve(true)));
    await listener.query(`listen ${channel}`);
    await (await connect(from)).query(`notify ${channel}`);
    return await withinTime(scheduler, HEARD_MS, heard, () => false);
  } finally {
    for (const client of clients) await client.end();
  }
}
