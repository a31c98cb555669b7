import type { Clock } from '../ports/system.js';

/** Keeps small groups from becoming many small inserts. */
export interface Linger {
  /** Waits until the last insert began `gapMs` ago; not at all when that is past or `isLarge()`. */
  wait(isLarge: () => boolean): Promise<void>;
  /** An insert begins now. */
  started(): void;
}

/** `sleep` takes milliseconds. */
export function createLinger(clock: Clock, gapMs: number, sleep: (ms: number) => Promise<unknown>): Linger {
  let last = Number.NEGATIVE_INFINITY;
  return {
    async wait(isLarge) {
      const passed = clock.now() - last;
      // a clock that was set back must not stop the service
      if (passed < 0 || passed >= gapMs || isLarge()) return;
      await sleep(gapMs - passed);
    },
    started() {
      last = clock.now();
    },
  };
}
