import { createQueue } from '../../kernel/queue.js';
import type { Scheduler } from '../../ports/system.js';

/** Resolves when the caller may decode its body of so many bytes. */
export type DecodeScheduler = (bytes: number) => Promise<void>;

/** Fixed cost of a body, in bytes. */
const BODY_COST = 1_000;
/** Interval of the check whether the pipeline is still busy; milliseconds. */
const BUSY_POLL_MS = 2;

/**
 * A scheduler of decoding, first in, first out. Clients that are answered together send again together, and decoding all of their bodies in
 * one turn of the event loop would block other requests. Each turn decodes about `bytesPerTurn`, and none while `isBusy`: undecoded
 * buffers are outside of the heap, decoded events would be copied by every scavenge.
 *
 *     idle ──schedule──> waiting for a turn ──not busy──> turn: `bytesPerTurn` of the queue ──empty──> idle
 *                          ^      ^   │ busy                │ more
 *                          │      └───┘ poll                │
 *                          └────────────────────────────────┘
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
