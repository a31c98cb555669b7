import { type Scheduler, sleep } from './scheduler.js';

/** How long work that fails for a passing reason is tried again, and the pause between two tries; milliseconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 250;

/**
 * Does work that can be done again, until it succeeds or fails for another reason than `isPassing` knows.
 * @throws what it threw last
 */
export async function retryWhile<T>(
  scheduler: Scheduler,
  isPassing: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  const end = scheduler.uptime() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || scheduler.uptime() > end) throw error;
    }
    await sleep(scheduler, PAUSE_MS);
  }
}
