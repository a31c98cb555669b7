import { createQueue } from '../../kernel/queue.js';
import type { Scheduler } from '../../ports/system.js';

/** Lets callers go on a few at a time, the rest in later turns of the event loop. `bytes`: what the caller will decode. */
export type DecodeScheduler = (bytes: number) => Promise<void>;

/** What a body costs besides its bytes, in bytes. */
const BODY_COST = 1_000;
/** Milliseconds between two looks whether there is room again. */
const BUSY_POLL_MS = 2;

/**
 * Clients that were answered together ask again together. Decoding all of them in one turn of the event loop would hold up
 * everybody else, so each turn takes `bytesPerTurn` of them (the last may be larger), in the order of their coming, and none
 * while `isBusy`: what waits as bytes costs the garbage collector nothing, what waits as objects is copied again and again.
 */
export function createDecodeScheduler(
  bytesPerTurn: number,
  scheduler: Pick<Scheduler, 'after' | 'yield'>,
  isBusy: () => boolean,
): DecodeScheduler {
  const waiting = createQueue<{ bytes: number; go: () => void }>();
  let left = bytesPerTurn;
  let scheduled = false;

  const nextTurn = () => {
    scheduled = false;
    if (isBusy()) return schedule();
    left = bytesPerTurn;
    while (left > 0) {
      const [first] = waiting.take(1);
      if (!first) return;
      left -= first.bytes + BODY_COST;
      first.go();
    }
    if (waiting.length() > 0) schedule();
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    if (isBusy()) scheduler.after(BUSY_POLL_MS, nextTurn, { keepsAlive: true });
    else scheduler.yield().then(nextTurn);
  };

  return (bytes) => {
    schedule();
    if (left > 0 && waiting.length() === 0 && !isBusy()) {
      left -= bytes + BODY_COST;
      return Promise.resolve();
    }
    return new Promise((go) => waiting.push({ bytes, go }));
  };
}
