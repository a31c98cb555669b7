import { createQueue, type Queue } from '../../kernel/queue.js';
import type { Scheduler } from '../../ports/system.js';

/** Resolves when the caller may decode its body of so many bytes. */
export type DecodeScheduler = (bytes: number) => Promise<void>;

/** A body that waits for its turn. */
interface WaitingBody {
  bytes: number;
  go: () => void;
}

/** Fixed cost of a body, in bytes. */
const BODY_COST = 1_000;
/** Interval of the check whether the pipeline is still busy; milliseconds. */
const BUSY_POLL_MS = 2;

/**
 * A scheduler of decoding. Clients that are answered together send again together, and decoding all of their bodies in one turn of the
 * event loop would block other requests. Each turn decodes about `bytesPerTurn` of small bodies, first in, first out, and then one that is
 * larger than a turn: those of imports, which small ones must not wait for. None is decoded while `isBusy`: undecoded buffers are outside of
 * the heap, decoded events would be copied by every scavenge.
 *
 *     idle ──schedule──> waiting for a turn ──not busy──> turn: small ones, a large one ──empty──> idle
 *                          ^      ^   │ busy                │ more
 *                          │      └───┘ poll                │
 *                          └────────────────────────────────┘
 *
 * @param isBusy whether enough decoded events wait to be stored before those of a small or a large body
 */
export function createDecodeScheduler(
  bytesPerTurn: number,
  scheduler: Pick<Scheduler, 'after' | 'yield'>,
  isBusy: (isLarge: boolean) => boolean,
): DecodeScheduler {
  const small = createQueue<WaitingBody>();
  const large = createQueue<WaitingBody>();
  let left = bytesPerTurn;
  let scheduled = false;

  const goNext = (queue: Queue<WaitingBody>): void => {
    for (const { bytes, go } of queue.take(1)) {
      left -= bytes + BODY_COST;
      go();
    }
  };
  const canGo = (queue: Queue<WaitingBody>): boolean => queue.length() > 0 && !isBusy(queue === large);
  const nextTurn = () => {
    scheduled = false;
    left = bytesPerTurn;
    if (canGo(small)) while (left > 0 && small.length() > 0) goNext(small);
    if (canGo(large)) goNext(large);
    if (small.length() + large.length() > 0) schedule();
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    const mayGoOn = small.length() + large.length() === 0 || canGo(small) || canGo(large);
    if (mayGoOn) scheduler.yield().then(nextTurn);
    else scheduler.after(BUSY_POLL_MS, nextTurn, { keepsAlive: true });
  };

  return (bytes) => {
    const isLarge = bytes > bytesPerTurn;
    const queue = isLarge ? large : small;
    if (left > 0 && queue.length() === 0 && !isBusy(isLarge)) {
      left -= bytes + BODY_COST;
      schedule();
      return Promise.resolve();
    }
    return new Promise((go) => {
      queue.push({ bytes, go });
      schedule();
    });
  };
}
