import pg from 'pg';
import { type Scheduler, sleep } from '../../kernel/scheduler.js';
import { sqlState } from '../../kernel/sql.js';

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
