import { setMaxListeners } from 'node:events';

/** Runs work once for all concurrent callers with the same key, and cancels it when the last of them has left. */
export interface ComputeOnce<T> {
  /** Joins the running work of the key, or starts it. Aborting `signal` makes this caller leave. @throws what the work throws, or the signal's reason */
  run(key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
}

interface Running<T> {
  result: Promise<T>;
  waiting: number;
  controller: AbortController;
}

export function createComputeOnce<T>(): ComputeOnce<T> {
  const running = new Map<string, Running<T>>();

  function begin(key: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const controller = new AbortController();
    // each statement of a query listens to it: a query of twelve series is no leak
    setMaxListeners(0, controller.signal);
    const result = work(controller.signal).finally(() => {
      if (running.get(key)?.controller === controller) running.delete(key);
    });
    // callers receive a rejection through their own promise
    result.catch(() => {});
    const begun = { result, waiting: 0, controller };
    running.set(key, begun);
    return begun;
  }

  return {
    run: async (key, work, signal) => {
      signal?.throwIfAborted();
      const entry = running.get(key) ?? begin(key, work);
      entry.waiting++;
      let leave = () => {};
      const left = new Promise<never>((_, reject) => {
        leave = () => {
          if (--entry.waiting === 0) {
            // the next caller must not join work that is being cancelled
            running.delete(key);
            entry.controller.abort(signal?.reason);
          }
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', leave, { once: true });
      });
      left.catch(() => {});
      try {
        return await Promise.race([entry.result, left]);
      } finally {
        signal?.removeEventListener('abort', leave);
      }
    },
  };
}
