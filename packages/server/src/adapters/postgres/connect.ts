import pg from 'pg';
import { type Scheduler, sleep } from '../../kernel/scheduler.js';

/** Pause between attempts, growing; milliseconds. A server that recovers pays a process for each. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/**
 * A connection to a server that may not have started yet. The caller ends it.
 * @throws the server's refusal, or the last failure once told to stop waiting
 */
export async function connectWhenReady(url: string, scheduler: Scheduler, stopWaiting: AbortSignal): Promise<pg.Client> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true });
    // a connection that breaks later fails its next query; unheard, the event would end the process
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

/** What goes away when a server starts or a network comes back. */
export function isNotYet(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /^(08|53|57P|E[A-Z])/.test(code) || /terminated|timeout|does not answer|not queryable/.test(error.message);
}
