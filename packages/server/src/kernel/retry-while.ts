import { type Scheduler, sleep } from './scheduler.js';

/** How long work that fails with a temporary error is retried, and the pause between retries; milliseconds. */
const TIMEOUT_MS = 60_000;
const PAUSE_MS = 250;

/**
 * Retries idempotent work until it succeeds, fails with an error that is not temporary, or a minute is over.
 * @param isTemporary whether an error is worth a retry
 * @throws the last error of the work
 */
export async function retryWhile<T>(
  scheduler: Scheduler,
  isTemporary: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  const end = scheduler.uptime() + TIMEOUT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTemporary(error) || scheduler.uptime() > end) throw error;
    }
    await sleep(scheduler, PAUSE_MS);
  }
}
