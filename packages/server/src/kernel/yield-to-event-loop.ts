import { createQueue } from './queue.js';

/** Callers that wait for a turn. The queue belongs to the process, like the event loop. */
const waiting = createQueue<() => void>();

/**
 * Resolves in a later turn of the event loop, so that other work runs between two slices of a long one. Callers resume in their order, one
 * in each turn: slices of some milliseconds each never add up to one long stall.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length() === 1) setImmediate(resumeNext);
  });
}

function resumeNext(): void {
  waiting.take(1)[0]?.();
  if (waiting.length() > 0) setImmediate(resumeNext);
}
