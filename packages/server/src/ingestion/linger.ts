import type { Clock } from '../ports/system.js';

/** Linger of a batcher (as in Kafka producers): delays small groups, so that they do not become many small inserts. */
export interface Linger {
  /** Resolves `lingerMs` after the start of the last insert; at once if that time has passed or `isLarge()`. */
  wait(isLarge: () => boolean): Promise<void>;
  /** Records the start of an insert. */
  started(): void;
}

/** `sleep` takes milliseconds. */
export function createLinger(clock: Clock, lingerMs: number, sleep: (ms: number) => Promise<unknown>): Linger {
  let last = Number.NEGATIVE_INFINITY;
  return {
    async wait(isLarge) {
      const passed = clock.now() - last;
      // a clock set back must not stop the service
      if (passed < 0 || passed >= lingerMs || isLarge()) return;
      await sleep(lingerMs - passed);
    },
    started() {
      last = clock.now();
    },
  };
}
