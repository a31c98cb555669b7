import type { Logger } from 'pino';

/** Work gathered while requests are answered, done a little later. */
export interface Background {
  /** Sees to it that `work` runs soon. */
  wake(): void;
  /** Runs what is left, once. */
  close(): Promise<void>;
}

/**
 * Runs `work` at most once every `delayMs`, never twice at the same time, and only after {@link Background.wake}.
 * When it fails it is tried again after the same time.
 */
export function createBackground(name: string, delayMs: number, work: () => Promise<void>, log: Logger): Background {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let closed = false;

  const run = async () => {
    timer = null;
    try {
      await work();
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
    if (timer || closed) return;
    timer = setTimeout(() => {
      // one that takes long is waited for, then it is this one's turn
      if (running) running.then(start);
      else start();
    }, delayMs);
    timer.unref();
  };
  return {
    wake,
    async close() {
      closed = true;
      if (timer) clearTimeout(timer);
      await running;
      await run();
    },
  };
}
