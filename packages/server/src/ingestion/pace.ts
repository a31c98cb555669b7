import type { Clock } from '../ports/system.js';

/** Keeps small groups from becoming many small inserts. */
export interface Pace {
  /** Waits until the last insert began `gapMs` ago; not at all when that is past or `isLarge()`. */
  ready(isLarge: () => boolean): Promise<void>;
  /** An insert begins now. */
  started(): void;
}

/** `sleep` takes milliseconds. */
export function createPace(clock: Clock, gapMs: number, sleep: (ms: number) => Promise<unknown>): Pace {
  let last = Number.NEGATIVE_INFINITY;
  return {
    async ready(isLarge) {
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
