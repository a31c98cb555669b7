import type { Deps } from '../deps.js';
import type { Cancel } from '../ports/system.js';

/** Writes gathered in memory while requests are answered, flushed a little later. */
export interface Flusher {
  /** Has `flush` run within `delayMs`. */
  wake(): void;
  /** Flushes once more; the end of it. */
  close(): Promise<void>;
}

interface FlusherOptions {
  name: string;
  /** Milliseconds from the first wake to the flush, and between two flushes at least. */
  delayMs: number;
  /** Writes what was gathered, if anything. What it throws is logged, and it runs again after `delayMs`. */
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
