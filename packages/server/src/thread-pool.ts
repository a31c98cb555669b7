import pLimit from 'p-limit';
import { Piscina } from 'piscina';

/** Runs tasks in worker threads, each thread one at a time. Threads start with the first tasks. */
export interface ThreadPool<Task, Result> {
  /** Rejects with an error named `AbortError` when the signal aborts, which terminates no other task. */
  run(task: Task, signal?: AbortSignal): Promise<Result>;
  /** Tasks that wait for a thread. */
  waiting(): number;
  /** Terminates the threads. Unfinished tasks reject. */
  close(): Promise<void>;
}

interface ThreadPoolOptions {
  /** The compiled file of the worker: threads do not load TypeScript. */
  filename: string;
  /** Name of the function in that file. */
  name: string;
  maxThreads: number;
  /** A thread without work for this long is terminated; milliseconds. */
  idleMs: number;
  workerData?: unknown;
  env?: NonNullable<ConstructorParameters<typeof Piscina>[0]>['env'];
}

/**
 * Creates a pool. Tasks wait here and not in the queue of piscina, which starts no thread for queued tasks when the thread of a cancelled
 * task has been terminated or a thread has failed: they would wait for the next call.
 */
export function createThreadPool<Task, Result>({ maxThreads, idleMs, ...options }: ThreadPoolOptions): ThreadPool<Task, Result> {
  const pool: Piscina<Task, Result> = new Piscina({
    ...options,
    minThreads: 0,
    maxThreads,
    idleTimeout: idleMs,
    // by default an idle thread blocks in Atomics.wait, and its own timers do not run
    atomics: 'disabled',
  });
  const limit = pLimit(maxThreads);
  const cancels = new Set<(error: unknown) => void>();
  let isClosed = false;
  // A thread that fails without a task, such as one that cannot start: without a listener the error would end the process. The task that
  // waits for it is not known, so all of the pool reject.
  pool.on('error', (error) => {
    for (const cancel of cancels) cancel(error);
  });

  async function runNow(task: Task, signal: AbortSignal | undefined): Promise<Result> {
    if (isClosed) throw new Error('The threads are terminated.');
    const controller = new AbortController();
    let fault: { error: unknown } | null = null;
    const cancel = (error: unknown) => {
      fault = { error };
      controller.abort();
    };
    const abort = () => controller.abort(signal?.reason);
    cancels.add(cancel);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    try {
      return await pool.run(task, { signal: controller.signal });
    } catch (error) {
      throw fault ? (fault as { error: unknown }).error : error;
    } finally {
      cancels.delete(cancel);
      signal?.removeEventListener('abort', abort);
    }
  }

  return {
    run: (task, signal) =>
      new Promise((resolve, reject) => {
        // a waiting task rejects at once, and is passed over when its turn comes
        const abort = () =>
          reject(Object.assign(new Error('The task was cancelled.'), { name: 'AbortError', cause: signal?.reason }));
        if (signal?.aborted) return abort();
        signal?.addEventListener('abort', abort, { once: true });
        const start = () => {
          signal?.removeEventListener('abort', abort);
          return signal?.aborted ? undefined : runNow(task, signal).then(resolve, reject);
        };
        void limit(start);
      }),
    waiting: () => limit.pendingCount,
    close: async () => {
      isClosed = true;
      await pool.destroy();
    },
  };
}
