/** How long work that fails for a passing reason is tried again, and the pause between two tries; milliseconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 250;

/**
 * Does work that can be done again, until it succeeds or fails for another reason than `isPassing` knows.
 * @throws what it threw last
 */
export async function retryWhile<T>(isPassing: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
