import { QueueFull } from '../http/sdk/index.js';
import { createQueue } from '../kernel/queue.js';

/** What waits, measured by whoever put it there. */
export interface QueuedItem<T> {
  value: T;
  events: number;
  bytes: number;
  /** Epoch milliseconds. */
  since: number;
}

/** A bounded queue that is emptied in groups, in order. */
export interface BoundedQueue<T> {
  /** @throws QueueFull when it would hold more bytes than it may (one alone is always let in) */
  add(waiting: QueuedItem<T>): void;
  /** Resolves when something waits (true), or when it is closed and empty (false). */
  waitForItems(): Promise<boolean>;
  /** The first that wait, up to these limits, but at least one. They count as held until {@link release}. */
  take(maxEvents: number, maxBytes: number): QueuedItem<T>[];
  release(taken: readonly QueuedItem<T>[]): void;
  /** Since when the oldest waits or is worked on; null when there is none. */
  oldest(): number | null;
  events(): number;
  bytes(): number;
  close(): void;
}

/** `maxBytes` bounds what waits and what is being worked on together. */
export function createBoundedQueue<T>(maxBytes: number): BoundedQueue<T> {
  const queue = createQueue<QueuedItem<T>>();
  const held: (readonly QueuedItem<T>[])[] = [];
  let waitingEvents = 0;
  let bytes = 0;
  let closed = false;
  let wake: (() => void) | null = null;

  const notify = () => {
    wake?.();
    wake = null;
  };

  return {
    add(waiting) {
      if (closed) throw new QueueFull('the service is stopping');
      if (bytes > 0 && bytes + waiting.bytes > maxBytes) throw new QueueFull('too many events wait for the stores');
      queue.push(waiting);
      waitingEvents += waiting.events;
      bytes += waiting.bytes;
      notify();
    },
    async waitForItems() {
      while (queue.length() === 0 && !closed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return queue.length() > 0;
    },
    take(maxEvents, maxGroupBytes) {
      let count = 0;
      let events = 0;
      let groupBytes = 0;
      for (const waiting of queue.items()) {
        if (count > 0 && (events + waiting.events > maxEvents || groupBytes + waiting.bytes > maxGroupBytes)) break;
        count++;
        events += waiting.events;
        groupBytes += waiting.bytes;
      }
      const taken = queue.take(count);
      waitingEvents -= events;
      held.push(taken);
      return taken;
    },
    release(taken) {
      const at = held.indexOf(taken);
      if (at === -1) return;
      held.splice(at, 1);
      for (const waiting of taken) bytes -= waiting.bytes;
    },
    oldest() {
      return held[0]?.[0]?.since ?? queue.first()?.since ?? null;
    },
    events: () => waitingEvents,
    bytes: () => bytes,
    close() {
      closed = true;
      notify();
    },
  };
}
