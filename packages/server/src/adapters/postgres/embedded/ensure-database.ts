import type { Scheduler } from '../../../ports/system.js';
import { connectWhenReady } from '../connect.js';
import { ROLE } from './cluster.js';

/**
 * Makes our database on a server that may not have started yet, unless it is there.
 * @param maintenanceUrl address of another database on the server
 * @throws the server's refusal; once `stopWaiting` is aborted also where a session of the server hangs
 */
export async function ensureDatabase(maintenanceUrl: string, scheduler: Scheduler, stopWaiting: AbortSignal): Promise<void> {
  const client = await connectWhenReady(maintenanceUrl, scheduler, stopWaiting);
  // with a statement under way this ends the connection without waiting for the server
  const end = () => void client.end().catch(() => {});
  stopWaiting.addEventListener('abort', end);
  try {
    stopWaiting.throwIfAborted();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [ROLE]);
    if (rowCount !== 0) return;
    // fills the ring of log files (see settings) once: each switch makes a file, and the checkpoint keeps them for later
    await client.query(`select pg_logical_emit_message(true, '', ''), pg_switch_wal() from generate_series(1, 32)`);
    await client.query('checkpoint');
    await client.query(`create database ${ROLE}`);
  } finally {
    stopWaiting.removeEventListener('abort', end);
    end();
  }
}
