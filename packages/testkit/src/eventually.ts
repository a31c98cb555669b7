import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Tries until it succeeds, and answers what it gave. Whatever it throws counts as "not yet".
 * @throws the last error when the time (milliseconds) is up
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
