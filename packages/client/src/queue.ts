import type { Loss } from './event.js';
import type { Log, Timers } from './platform.js';

/** What became of a batch. `waitMs`: the server asks not to come back before. */
export interface Delivery {
  outcome: 'done' | 'retry' | 'too_large' | 'refused';
  waitMs?: number;
}

export interface QueueLimits {
  flushAt: number;
  flushInterval: number;
  maxBatchSize: number;
  maxQueueSize: number;
}

export interface QueuePorts<Item> {
  timers: Timers;
  log: Log;
  /** False: what waits goes on waiting. */
  canSend?(): boolean;
  onCanSend?: ((listener: () => void) => () => void) | undefined;
  /** Never rejects. */
  deliver(batch: readonly Item[]): Promise<Delivery>;
  /** Asked each time, since options change. */
  limits(): QueueLimits;
  /** Between 0 and 1: spreads retries of many clients. */
  random(): number;
  /** Something was added, or is done with. */
  changed?(): void;
  lost?(reason: Loss, count: number): void;
}

export interface Queue<Item> {
  push(item: Item): void;
  /** Sends what is here now; what comes meanwhile goes with the next. True when all of it is done with. */
  flush(): Promise<boolean>;
  /** All that the server has not confirmed, the oldest first. */
  unsent(): readonly Item[];
  /** Hands what is not on its way to `send`, oldest first, and forgets those it takes (a prefix, by count). */
  handOver(send: (waiting: readonly Item[]) => number): void;
  clear(): void;
  /** Stops timers; with `flush` before, the last word of the queue. */
  stop(): void;
}

const FIRST_RETRY_MS = 3000;
const UNLIMITED = 1e9;
const LONGEST_RETRY_MS = 1_800_000;

/** Collects items and delivers them in order, in batches, until the server has them or refuses them. */
export function createQueue<Item>(ports: QueuePorts<Item>): Queue<Item> {
  let waiting: Item[] = [];
  let flying: readonly Item[] = [];
  let running: Promise<boolean> | undefined;
  let timer: unknown;
  let soon = false;
  let failures = 0;
  let batchSize = UNLIMITED;
  let stopped = false;

  const trim = () => {
    const over = waiting.length - ports.limits().maxQueueSize;
    if (over <= 0) return;
    waiting.splice(0, over);
    ports.log.warn('Queue full.');
    ports.lost?.('queue_overflow', over);
  };
  const schedule = (ms: number) => {
    if (!stopped) timer ??= ports.timers.set(automatic, ms);
  };
  const unschedule = () => {
    ports.timers.clear(timer);
    timer = undefined;
  };
  const automatic = () => {
    unschedule();
    soon = false;
    if (!stopped && waiting.length && ports.canSend?.() !== false) void flush();
  };
  const retryIn = (atLeast: number) => {
    const delay = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++) * (0.5 + ports.random());
    unschedule();
    schedule(Math.max(atLeast, delay));
  };

  const run = async (): Promise<boolean> => {
    // What waits may also go by another way meanwhile: handed over, cleared, dropped.
    for (let left = waiting.length; left > 0 && waiting.length; ) {
      flying = waiting.splice(0, Math.min(left, ports.limits().maxBatchSize, batchSize));
      const { outcome, waitMs = 0 } = await ports.deliver(flying);
      const sent = flying.length;
      if (outcome === 'retry' || (outcome === 'too_large' && sent > 1)) {
        waiting = [...flying, ...waiting];
        flying = [];
        trim();
        if (outcome === 'retry') {
          retryIn(waitMs);
          return false;
        }
        batchSize = Math.ceil(sent / 2);
        continue;
      }
      flying = [];
      failures = 0;
      if (outcome === 'refused' || outcome === 'too_large') ports.lost?.(outcome, sent);
      left -= sent;
      ports.changed?.();
      if (waitMs) {
        unschedule();
        schedule(waitMs);
        return left === 0;
      }
    }
    batchSize = UNLIMITED;
    return true;
  };
  const flush = (): Promise<boolean> => {
    if (running || !waiting.length) return running ?? Promise.resolve(true);
    // setting a timer costs a page more than an event: one that comes too early does no harm, but for that of a retry
    if (failures) unschedule();
    running = run().finally(() => {
      running = undefined;
      if (waiting.length) schedule(ports.limits().flushInterval);
    });
    return running;
  };
  const unwatch = ports.onCanSend?.(() => {
    if (waiting.length) schedule(0);
  });

  return {
    flush,
    push(item) {
      waiting.push(item);
      const { flushAt, flushInterval, maxQueueSize } = ports.limits();
      if (waiting.length > maxQueueSize) trim();
      ports.changed?.();
      // While the server is not to be had, the timer of the retry decides.
      if (waiting.length >= flushAt && !soon && !failures && !running) {
        soon = true;
        // Not inside the caller's statement, which is to cost next to nothing.
        void Promise.resolve().then(automatic);
      }
      schedule(flushInterval);
    },
    unsent: () => (flying.length ? [...flying, ...waiting] : waiting),
    handOver(send) {
      waiting.splice(0, send(waiting));
      ports.changed?.();
    },
    clear() {
      waiting = [];
      ports.changed?.();
    },
    stop() {
      stopped = true;
      unschedule();
      unwatch?.();
    },
  };
}
