/** Work that several may wait for: begun once, and ended when the last of them has gone. */
export interface ComputeOnce<T> {
  /** Waits for the work of this key, and begins it when nobody else has. */
  wait(key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
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
    const result = work(controller.signal).finally(() => {
      if (running.get(key)?.controller === controller) running.delete(key);
    });
    // those who wait hear of a failure themselves
    result.catch(() => {});
    const begun = { result, waiting: 0, controller };
    running.set(key, begun);
    return begun;
  }

  return {
    wait: async (key, work, signal) => {
      signal?.throwIfAborted();
      const entry = running.get(key) ?? begin(key, work);
      entry.waiting++;
      let leave = () => {};
      const left = new Promise<never>((_, reject) => {
        leave = () => {
          if (--entry.waiting === 0) {
            // the next to ask must not wait for work that is being ended
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
