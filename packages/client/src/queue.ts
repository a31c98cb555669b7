import type { Loss } from './event.js';
import type { Log, Timers } from './platform.js';

/** Result of sending a batch. `waitMs`: the server's `Retry-After`; nothing is sent before. `broken`: to be retried, because no answer came. */
export interface Delivery {
  outcome: 'done' | 'retry' | 'too_large' | 'refused';
  waitMs?: number;
  broken?: boolean;
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
  /** False: the queue keeps its items and does not send. */
  canSend?(): boolean;
  onCanSend?: ((listener: () => void) => () => void) | undefined;
  /** Never rejects. `leaving`: the page may end before the answer comes. */
  deliver(batch: readonly Item[], leaving: boolean): Promise<Delivery>;
  /** Called each time, since `setConfig` changes options. */
  limits(): QueueLimits;
  /** Between 0 and 1: spreads retries of many clients. */
  random(): number;
  /** Items were added or removed. */
  changed?(): void;
  lost?(reason: Loss, count: number): void;
}

export interface Queue<Item> {
  push(item: Item): void;
  /** Adds items of an earlier page or run in front. */
  restore(items: readonly Item[]): void;
  /** Sends the items that are queued now, after a running flush. Items added meanwhile are part of the next flush. True when all are delivered or refused. */
  flush(): Promise<boolean>;
  /**
   * Sends the waiting items that `fits` accepts in one request; without `fits`, flushes. Calls `fits` in order. Does nothing while deliveries
   * fail, or `canSend` is false. A single delivery without an answer is no reason: browsers break off the requests of a page before it learns that
   * it is left. All items stay in `unsent` until the server has confirmed them.
   */
  leave(fits?: (item: Item) => boolean): void;
  /** A copy of the items that the server has not confirmed, oldest first. */
  unsent(): Item[];
  /** Removes the waiting items that `matches` accepts, and returns them. Calls `matches` in order. */
  take(matches: (item: Item) => boolean): Item[];
  clear(): void;
  /** Stops timers. Call `flush` first to send what is left; nothing is sent afterwards. */
  stop(): void;
}

const FIRST_RETRY_MS = 3000;
const UNLIMITED = 1e9;
const LONGEST_RETRY_MS = 1_800_000;

/**
 * Delivers items in order and in batches until the server has confirmed or refused them.
 *
 *     push -> waiting -> in flight -> confirmed, or refused (`lost`)
 *               ^            |
 *               +-- retry ---+   after a growing pause; too large: with half as many items
 */
export function createQueue<Item>(ports: QueuePorts<Item>): Queue<Item> {
  let waiting: Item[] = [];
  const flying = new Set<Item>();
  let running: Promise<boolean> | undefined;
  let timer: unknown;
  let soon = false;
  let failures = 0;
  /** The last delivery had no answer. */
  let broken: boolean | undefined;
  let batchSize = UNLIMITED;
  let stopped = false;
  /** A retry timer runs. */
  let paused = false;

  const trim = () => {
    const over = waiting.length - ports.limits().maxQueueSize;
    if (over <= 0) return;
    waiting.splice(0, over);
    ports.log.warn('full');
    ports.lost?.('queue_overflow', over);
  };
  const schedule = (ms = ports.limits().flushInterval) => {
    if (!stopped) timer ??= ports.timers.set(automatic, ms);
  };
  const unschedule = () => {
    ports.timers.clear(timer);
    timer = undefined;
  };
  const canSend = () => ports.canSend?.() !== false;
  const automatic = () => {
    unschedule();
    soon = false;
    if (!stopped && waiting.length && canSend()) void flush();
  };
  const pause = (ms: number) => {
    paused = true;
    unschedule();
    schedule(ms);
  };
  const retryIn = (atLeast: number) =>
    pause(Math.max(atLeast, Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++) * (0.5 + ports.random())));
  const take = (matches: (item: Item) => boolean) => {
    const taken: Item[] = [];
    waiting = waiting.filter((item) => !(matches(item) && taken.push(item)));
    return taken;
  };

  /** Delivers one batch. Returns how many items need no further delivery. */
  const attempt = async (batch: readonly Item[], leaving = false): Promise<number> => {
    for (const item of batch) flying.add(item);
    const { outcome, waitMs = 0, ...more } = await ports.deliver(batch, leaving);
    broken = more.broken;
    // without those that `clear` removed meanwhile
    const landed = batch.filter((item) => flying.delete(item));
    const split = outcome === 'too_large' && batch.length > 1;
    if (split || outcome === 'retry') {
      waiting = [...landed, ...waiting];
      trim();
      if (split) batchSize = Math.ceil(batch.length / 2);
      else retryIn(waitMs);
      return 0;
    }
    failures = 0;
    if (outcome !== 'done') ports.lost?.(outcome, landed.length);
    ports.changed?.();
    if (waitMs) pause(waitMs);
    return batch.length;
  };
  const run = async (): Promise<boolean> => {
    paused = false;
    // The queue may shrink meanwhile: `leave`, `clear` and the size limit remove items, too.
    for (let left = waiting.length; left > 0 && waiting.length; ) {
      left -= await attempt(waiting.splice(0, Math.min(left, ports.limits().maxBatchSize, batchSize)));
      if (paused) return left <= 0;
    }
    batchSize = UNLIMITED;
    return true;
  };
  const flush = (): Promise<boolean> => {
    if (running || !waiting.length) return running ?? Promise.resolve(true);
    // Leave the flush timer running: resetting it costs more than an early tick. Only a retry timer must go, or it would fire before its back-off.
    if (failures) unschedule();
    running = run().finally(() => {
      running = undefined;
      if (waiting.length) schedule();
    });
    return running;
  };
  const unwatch = ports.onCanSend?.(() => {
    if (waiting.length) schedule(0);
  });

  return {
    // a running flush does not send items that were added after its start
    flush: () => running?.then((done) => done && flush()) ?? flush(),
    take,
    push(item) {
      waiting.push(item);
      const { flushAt, flushInterval, maxQueueSize } = ports.limits();
      if (waiting.length > maxQueueSize) trim();
      ports.changed?.();
      // While deliveries fail, only the retry timer sends.
      if (waiting.length >= flushAt && !soon && !failures && !running) {
        soon = true;
        // In a microtask, so that `capture` itself stays fast.
        void Promise.resolve().then(automatic);
      }
      schedule(flushInterval);
    },
    restore(items) {
      waiting = [...items, ...waiting];
      trim();
      ports.changed?.();
      schedule();
    },
    leave(fits) {
      if (failures > Number(!!broken) || !canSend()) return;
      if (!fits) return void flush();
      const batch = take(fits);
      if (batch.length) void attempt(batch, true).then(() => waiting.length && schedule());
    },
    unsent: () => [...flying, ...waiting],
    clear() {
      waiting = [];
      flying.clear();
      ports.changed?.();
    },
    stop() {
      stopped = true;
      unschedule();
      unwatch?.();
    },
  };
}
