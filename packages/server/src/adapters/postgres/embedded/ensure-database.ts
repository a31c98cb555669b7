import type { Scheduler } from '../../../ports/system.js';
import { connectWhenReady } from '../connect.js';
import { ROLE } from './cluster.js';

/**
 * Creates the service's database, if it does not exist, on a server that may still be starting.
 * @param maintenanceUrl URL of another database on the server
 * @throws the server's error; aborting `stopWaiting` also ends a wait for a session that hangs
 */
export async function ensureDatabase(maintenanceUrl: string, scheduler: Scheduler, stopWaiting: AbortSignal): Promise<void> {
  const client = await connectWhenReady(maintenanceUrl, scheduler, stopWaiting);
  // during a statement this closes the connection without waiting for the server
  const end = () => void client.end().catch(() => {});
  stopWaiting.addEventListener('abort', end);
  try {
    stopWaiting.throwIfAborted();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [ROLE]);
    if (rowCount !== 0) return;
    // creates all files of the write-ahead log (see settings): each switch adds a file, and the checkpoint recycles them
    await client.query(`select pg_logical_emit_message(true, '', ''), pg_switch_wal() from generate_series(1, 32)`);
    await client.query('checkpoint');
    await client.query(`create database ${ROLE}`);
  } finally {
    stopWaiting.removeEventListener('abort', end);
    end();
  }
}
