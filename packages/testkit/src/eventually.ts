import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls a function until it does not throw, and returns its result.
 * @throws the last error after `within` milliseconds
 */
export async function eventually<T>(attempt: () => Promise<T>, { within = 120_000, every = 50 } = {}): Promise<T> {
  const end = performance.now() + within;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await sleep(every);
  }
}
