import { QueueFull } from '../http/sdk/index.js';
import { createQueue } from '../kernel/queue.js';

/** A queued value with its size. */
export interface QueuedItem<T> {
  value: T;
  events: number;
  bytes: number;
  /** Epoch milliseconds. */
  since: number;
}

/** Share of the queue that its background line may fill. */
const BACKGROUND_SHARE = 0.5;

/** One line of a {@link BoundedQueue}: first in, first out. */
export interface QueueLine<T> {
  /** @throws QueueFull the limit would be exceeded (a single item is always accepted) */
  add(item: QueuedItem<T>): void;
  /** Resolves to true when an item is queued, to false when the queue is closed and the line empty. For one caller. */
  waitForItems(): Promise<boolean>;
  /** Removes the first items up to these limits, at least one. Their bytes count until {@link BoundedQueue.release}. */
  take(maxEvents: number, maxBytes: number): QueuedItem<T>[];
  /** Events in the line. */
  events(): number;
}

/**
 * A queue with a limit in bytes, emptied in groups. It has two lines, each of which is emptied on its own: that of the background may fill half
 * of the queue, so that there is always capacity for the other.
 */
export interface BoundedQueue<T> {
  live: QueueLine<T>;
  background: QueueLine<T>;
  release(taken: readonly QueuedItem<T>[]): void;
  /** Time of the oldest item queued or taken, epoch milliseconds; null when there is none. */
  oldest(): number | null;
  /** Bytes of queued and taken items. */
  bytes(): number;
  close(): void;
}

/** @param maxBytes limit of queued and taken items together */
export function createBoundedQueue<T>(maxBytes: number): BoundedQueue<T> {
  const inFlight: (readonly QueuedItem<T>[])[] = [];
  let bytes = 0;
  let closed = false;

  function createLine(limit: number) {
    const items = createQueue<QueuedItem<T>>();
    let events = 0;
    let wake: (() => void) | null = null;
    const notify = () => {
      wake?.();
      wake = null;
    };
    const line: QueueLine<T> = {
      add(item) {
        if (closed) throw new QueueFull('the service is stopping');
        if (bytes > 0 && bytes + item.bytes > limit) throw new QueueFull('too many events wait for the stores');
        items.push(item);
        events += item.events;
        bytes += item.bytes;
        notify();
      },
      async waitForItems() {
        while (items.length() === 0 && !closed) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        return items.length() > 0;
      },
      take(maxEvents, maxGroupBytes) {
        let count = 0;
        let groupEvents = 0;
        let groupBytes = 0;
        for (const item of items.items()) {
          if (count > 0 && (groupEvents + item.events > maxEvents || groupBytes + item.bytes > maxGroupBytes)) break;
          count++;
          groupEvents += item.events;
          groupBytes += item.bytes;
        }
        const taken = items.take(count);
        events -= groupEvents;
        inFlight.push(taken);
        return taken;
      },
      events: () => events,
    };
    return { line, notify, first: () => items.first() };
  }

  const live = createLine(maxBytes);
  const background = createLine(maxBytes * BACKGROUND_SHARE);
  return {
    live: live.line,
    background: background.line,
    release(taken) {
      const at = inFlight.indexOf(taken);
      if (at === -1) return;
      inFlight.splice(at, 1);
      for (const item of taken) bytes -= item.bytes;
    },
    oldest() {
      let oldest = Math.min(sinceOf(live.first()), sinceOf(background.first()));
      for (const [first] of inFlight) oldest = Math.min(oldest, sinceOf(first));
      return oldest === Number.POSITIVE_INFINITY ? null : oldest;
    },
    bytes: () => bytes,
    close() {
      closed = true;
      live.notify();
      background.notify();
    },
  };
}

const sinceOf = (item: QueuedItem<unknown> | undefined): number => item?.since ?? Number.POSITIVE_INFINITY;
