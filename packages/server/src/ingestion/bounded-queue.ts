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

/** A FIFO queue with a limit in bytes, emptied in groups. */
export interface BoundedQueue<T> {
  /** @throws QueueFull the limit would be exceeded (a single item is always accepted) */
  add(item: QueuedItem<T>): void;
  /** Resolves to true when an item is queued, to false when the queue is closed and empty. */
  waitForItems(): Promise<boolean>;
  /** Removes the first items up to these limits, at least one. Their bytes count until {@link release}. */
  take(maxEvents: number, maxBytes: number): QueuedItem<T>[];
  release(taken: readonly QueuedItem<T>[]): void;
  /** Time of the oldest item queued or taken, epoch milliseconds; null when there is none. */
  oldest(): number | null;
  events(): number;
  bytes(): number;
  close(): void;
}

/** @param maxBytes limit of queued and taken items together */
export function createBoundedQueue<T>(maxBytes: number): BoundedQueue<T> {
  const queue = createQueue<QueuedItem<T>>();
  const inFlight: (readonly QueuedItem<T>[])[] = [];
  let queuedEvents = 0;
  let bytes = 0;
  let closed = false;
  let wake: (() => void) | null = null;

  const notify = () => {
    wake?.();
    wake = null;
  };

  return {
    add(item) {
      if (closed) throw new QueueFull('the service is stopping');
      if (bytes > 0 && bytes + item.bytes > maxBytes) throw new QueueFull('too many events wait for the stores');
      queue.push(item);
      queuedEvents += item.events;
      bytes += item.bytes;
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
      for (const item of queue.items()) {
        if (count > 0 && (events + item.events > maxEvents || groupBytes + item.bytes > maxGroupBytes)) break;
        count++;
        events += item.events;
        groupBytes += item.bytes;
      }
      const taken = queue.take(count);
      queuedEvents -= events;
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
      return inFlight[0]?.[0]?.since ?? queue.first()?.since ?? null;
    },
    events: () => queuedEvents,
    bytes: () => bytes,
    close() {
      closed = true;
      notify();
    },
  };
}
