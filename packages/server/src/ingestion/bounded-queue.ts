import { QueueFull } from '../http/sdk/index.js';
import { createQueue } from '../kernel/queue.js';

/** A queued value with its size. */
export interface QueuedItem<T> {
  value: T;
  events: number;
  bytes: number;
  /** Epoch milliseconds. */
  since: number;
  /** Others go first, and these may use half of the queue alone: of a history that is being imported. */
  canWait?: boolean;
}

/** Groups of other items that may go before one of items that can wait. */
const GROUPS_BEFORE = 4;
/** Share of the queue that items that can wait may fill. */
const WAITING_SHARE = 0.5;

/**
 * A queue with a limit in bytes, emptied in groups. Items that can wait stand in a line of their own; every fifth group at least is of that
 * line. Both lines are first in, first out.
 */
export interface BoundedQueue<T> {
  /** @throws QueueFull the limit would be exceeded (a single item is always accepted) */
  add(item: QueuedItem<T>): void;
  /** Resolves to true when an item is queued, to false when the queue is closed and empty. */
  waitForItems(): Promise<boolean>;
  /** Removes the first items of a line up to these limits, at least one. Their bytes count until {@link release}. */
  take(maxEvents: number, maxBytes: number): QueuedItem<T>[];
  release(taken: readonly QueuedItem<T>[]): void;
  /** Time of the oldest item queued or taken, epoch milliseconds; null when there is none. */
  oldest(): number | null;
  events(): number;
  /** Those among {@link events} that do not let others go first. */
  urgentEvents(): number;
  bytes(): number;
  close(): void;
}

/** @param maxBytes limit of queued and taken items together */
export function createBoundedQueue<T>(maxBytes: number): BoundedQueue<T> {
  const urgent = { items: createQueue<QueuedItem<T>>(), events: 0 };
  const deferred = { items: createQueue<QueuedItem<T>>(), events: 0 };
  const inFlight: (readonly QueuedItem<T>[])[] = [];
  /** Urgent groups since the last deferred one. */
  let groupsBefore = 0;
  let bytes = 0;
  let closed = false;
  let wake: (() => void) | null = null;

  const notify = () => {
    wake?.();
    wake = null;
  };

  const isEmpty = () => urgent.items.length() + deferred.items.length() === 0;

  function nextLine() {
    if (deferred.items.length() === 0) return urgent;
    if (urgent.items.length() > 0 && groupsBefore < GROUPS_BEFORE) {
      groupsBefore++;
      return urgent;
    }
    groupsBefore = 0;
    return deferred;
  }

  return {
    add(item) {
      if (closed) throw new QueueFull('the service is stopping');
      const limit = item.canWait ? maxBytes * WAITING_SHARE : maxBytes;
      if (bytes > 0 && bytes + item.bytes > limit) throw new QueueFull('too many events wait for the stores');
      const line = item.canWait ? deferred : urgent;
      line.items.push(item);
      line.events += item.events;
      bytes += item.bytes;
      notify();
    },
    async waitForItems() {
      while (isEmpty() && !closed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return !isEmpty();
    },
    take(maxEvents, maxGroupBytes) {
      const line = nextLine();
      let count = 0;
      let events = 0;
      let groupBytes = 0;
      for (const item of line.items.items()) {
        if (count > 0 && (events + item.events > maxEvents || groupBytes + item.bytes > maxGroupBytes)) break;
        count++;
        events += item.events;
        groupBytes += item.bytes;
      }
      const taken = line.items.take(count);
      line.events -= events;
      inFlight.push(taken);
      return taken;
    },
    release(taken) {
      const at = inFlight.indexOf(taken);
      if (at === -1) return;
      inFlight.splice(at, 1);
      for (const item of taken) bytes -= item.bytes;
    },
    oldest() {
      let oldest = Math.min(sinceOf(urgent.items.first()), sinceOf(deferred.items.first()));
      for (const [first] of inFlight) oldest = Math.min(oldest, sinceOf(first));
      return oldest === Number.POSITIVE_INFINITY ? null : oldest;
    },
    events: () => urgent.events + deferred.events,
    urgentEvents: () => urgent.events,
    bytes: () => bytes,
    close() {
      closed = true;
      notify();
    },
  };
}

const sinceOf = (item: QueuedItem<unknown> | undefined): number => item?.since ?? Number.POSITIVE_INFINITY;
