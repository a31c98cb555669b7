import { createQueue } from './queue.js';

const waiting = createQueue<() => void>();

/**
 * Lets the event loop look at everything else before the caller goes on with a long work. Those who wait go on in their
 * order, one in each turn of the loop: pieces of some milliseconds each never add up to one long stall.
 */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length() === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.take(1)[0]?.();
  if (waiting.length() > 0) setImmediate(next);
}
