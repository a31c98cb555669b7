import type { Deps } from '../deps.js';
import type { Cancel } from '../ports/system.js';

/** Flushes writes that requests have buffered in memory. */
export interface Flusher {
  /** Schedules a flush within `delayMs`. */
  wake(): void;
  /** Flushes a last time, and stops. */
  close(): Promise<void>;
}

interface FlusherOptions {
  name: string;
  /** Delay from the first wake to the flush, and the least time between two flushes; milliseconds. */
  delayMs: number;
  /** Writes the buffered data, if any. Its errors are logged, and it is retried after `delayMs`. */
  flush(): Promise<void>;
}

/** Runs `flush` after {@link Flusher.wake}, at most once every `delayMs` and never twice at the same time. */
export function createFlusher(
  { log, scheduler }: Pick<Deps, 'log' | 'scheduler'>,
  { name, delayMs, flush }: FlusherOptions,
): Flusher {
  let cancelTimer: Cancel | null = null;
  let running: Promise<void> | null = null;
  let isClosed = false;

  const run = async () => {
    cancelTimer = null;
    try {
      await flush();
    } catch (error) {
      log.warn({ err: error, work: name }, 'background work failed and will be tried again');
      wake();
    }
  };
  const start = () => {
    running = run().finally(() => {
      running = null;
    });
  };
  const wake = () => {
    if (cancelTimer || isClosed) return;
    cancelTimer = scheduler.after(delayMs, () => {
      // a flush that takes longer than the delay delays the next one
      if (running) running.then(start);
      else start();
    });
  };
  return {
    wake,
    async close() {
      isClosed = true;
      cancelTimer?.();
      await running;
      await run();
    },
  };
}
