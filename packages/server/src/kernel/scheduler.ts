/** Timers and a clock that only moves forward; tests drive one by hand. */
export interface Scheduler {
  /** Milliseconds since some moment in the past. Steps of the machine's clock do not move it. */
  uptime(): number;
  /** Runs `work` once, after `ms` milliseconds. @returns cancels it */
  after(ms: number, work: () => void): () => void;
  /** Runs `work` every `ms` milliseconds. @returns cancels it */
  every(ms: number, work: () => void): () => void;
}

/** The timers of Node.js. None of them keeps the process alive. */
export const systemScheduler: Scheduler = {
  uptime: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
  every: (ms, work) => {
    const timer = setInterval(work, ms).unref();
    return () => clearInterval(timer);
  },
};

/** How late a timer may fire on a process that runs; milliseconds. */
const LATE_MS = 1_000;
/** How long a process that was suspended, or too busy for its timers, has to handle what arrived meanwhile; milliseconds. */
const CATCH_UP_MS = 2_000;

/**
 * Runs `work` after `ms` milliseconds in which this process itself was running: a deadline for somebody else's answer. A process that
 * was suspended first handles the answers that are waiting for it.
 * @returns cancels it
 */
export function deadline(scheduler: Scheduler, ms: number, work: () => void): () => void {
  let cancel = () => {};
  const arm = (rest: number) => {
    const due = scheduler.uptime() + rest;
    cancel = scheduler.after(rest, () => (scheduler.uptime() > due + LATE_MS ? arm(CATCH_UP_MS) : work()));
  };
  arm(ms);
  return () => cancel();
}
