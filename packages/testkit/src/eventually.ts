import { setTimeout as sleep } from 'node:timers/promises';

/** Pause between two attempts as a share of the time since the first, and its limits in milliseconds. */
const SHARE = 0.15;
const SHORTEST_MS = 20;
const LONGEST_MS = 250;

/**
 * Calls a function until it does not throw, and returns its result.
 * @param every pause between two attempts, milliseconds. By default it grows, so that a long wait takes little from what is waited for
 * @throws the last error after `within` milliseconds
 */
export async function eventually<T>(
  attempt: () => Promise<T>,
  { within = 120_000, every }: { within?: number; every?: number } = {},
): Promise<T> {
  const begun = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > begun + within) throw error;
    }
    const passed = performance.now() - begun;
    await sleep(every ?? Math.min(LONGEST_MS, Math.max(SHORTEST_MS, passed * SHARE)));
  }
}
