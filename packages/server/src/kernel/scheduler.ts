/** Timers, a clock that only moves forward, and turns of the event loop. Tests drive one by hand. */
export interface Scheduler {
  /** Milliseconds since some moment in the past. Steps of the machine's clock do not move it. */
  uptime(): number;
  /** Runs `work` once, after `ms` milliseconds. @returns cancels it */
  after(ms: number, work: () => void, options?: TimerOptions): Cancel;
  /** Runs `work` every `ms` milliseconds. The timer does not keep the process alive. @returns cancels it */
  every(ms: number, work: () => void): Cancel;
  /**
   * Resolves in a later turn of the event loop. Callers resume in their order, one in each turn: slices of some milliseconds each never add
   * up to one long stall. Callers of `background` resume when no other caller waits, and in every fifth turn at least.
   */
  yield(priority?: 'background'): Promise<void>;
}

/** Longest pause of work in the background, and between two looks at whether it may end; milliseconds. */
const LONGEST_PAUSE_MS = 20;
const PAUSE_MS = 2;

/**
 * The same scheduler for work in the background: its `yield` lets all other callers go first, and pauses for 20 ms at most while `isBusy`.
 * @param isBusy whether somebody waits for an answer
 */
export const inBackground = (scheduler: Scheduler, isBusy: () => boolean): Scheduler => ({
  ...scheduler,
  yield: async () => {
    await scheduler.yield('background');
    const until = scheduler.uptime() + LONGEST_PAUSE_MS;
    while (isBusy() && scheduler.uptime() < until) await sleep(scheduler, PAUSE_MS);
  },
});

/** Cancels a timer; does nothing after it has fired. */
export type Cancel = () => void;

interface TimerOptions {
  /** Whether the process lives at least until the timer fires; false by default. */
  keepsAlive?: boolean;
}

/**
 * Resolves after `ms` milliseconds; the process lives until then.
 * @throws the reason of `signal` as soon as it aborts
 */
export function sleep(scheduler: Scheduler, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    const end = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const cancel = scheduler.after(ms, end, { keepsAlive: true });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/**
 * The result of `work`, or that of `onLate` (which may throw) when it takes longer than `ms` milliseconds. The work itself goes on; its
 * failure is ignored then.
 */
export async function withinTime<T, Late = T>(
  scheduler: Scheduler,
  ms: number,
  work: Promise<T>,
  onLate: () => Late,
): Promise<T | Late> {
  let cancel: Cancel = () => {};
  const late = new Promise<Late>((resolve, reject) => {
    const end = () => {
      try {
        resolve(onLate());
      } catch (error) {
        reject(error);
      }
    };
    cancel = scheduler.after(ms, end, { keepsAlive: true });
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

/** How late a timer may fire on a process that runs; milliseconds. */
const LATE_MS = 1_000;
/** How long a process that was suspended, or too busy for its timers, may take to handle responses that arrived meanwhile; milliseconds. */
const CATCH_UP_MS = 2_000;

/**
 * Runs `work` after `ms` milliseconds in which this process itself was running: a deadline for a response from another process. After
 * a suspension this process first handles the responses that have arrived.
 * @returns cancels it
 */
export function deadline(scheduler: Scheduler, ms: number, work: () => void): Cancel {
  let cancel: Cancel = () => {};
  const arm = (rest: number) => {
    const due = scheduler.uptime() + rest;
    cancel = scheduler.after(rest, () => (scheduler.uptime() > due + LATE_MS ? arm(CATCH_UP_MS) : work()));
  };
  arm(ms);
  return () => cancel();
}

/** Milliseconds between two tries of `retryWhile`, and after which it gives up by default. */
const RETRY_PAUSE_MS = 250;
const RETRY_MS = 60_000;

/**
 * Retries idempotent work until it succeeds, fails with an error that is not temporary, or the time is over.
 * @param isTemporary whether an error is worth a retry
 * @param milliseconds after which the work is not begun again; by default a minute
 * @throws the last error of the work
 */
export async function retryWhile<T>(
  scheduler: Scheduler,
  isTemporary: (error: unknown) => boolean,
  work: () => Promise<T>,
  milliseconds = RETRY_MS,
): Promise<T> {
  const end = scheduler.uptime() + milliseconds;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTemporary(error) || scheduler.uptime() + RETRY_PAUSE_MS > end) throw error;
    }
    await sleep(scheduler, RETRY_PAUSE_MS);
  }
}
