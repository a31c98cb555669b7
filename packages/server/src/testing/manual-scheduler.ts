import type { Scheduler } from '../kernel/scheduler.js';

/** Timers that fire only when a test moves the time. */
export interface ManualScheduler extends Scheduler {
  /** Moves the time on, running what is due in its order, and lets promises settle between. */
  advance(ms: number): Promise<void>;
  /** Moves the time on at once, as for a process that was suspended: what is due runs once, late. */
  suspend(ms: number): Promise<void>;
}

interface Timer {
  at: number;
  every: number | null;
  work: () => void;
}

export function manualScheduler(): ManualScheduler {
  const timers = new Set<Timer>();
  let time = 0;
  const add = (ms: number, every: number | null, work: () => void) => {
    const timer = { at: time + ms, every, work };
    timers.add(timer);
    return () => {
      timers.delete(timer);
    };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const next = () => [...timers].filter(({ at }) => at <= time).sort((a, b) => a.at - b.at)[0];

  async function runDue(): Promise<void> {
    for (let timer = next(); timer; timer = next()) {
      if (timer.every === null) timers.delete(timer);
      else timer.at = time + timer.every;
      timer.work();
      await settled();
    }
  }

  return {
    uptime: () => time,
    after: (ms, work) => add(ms, null, work),
    every: (ms, work) => add(ms, ms, work),
    advance: async (ms) => {
      await settled();
      for (const end = time + ms; time < end; ) {
        const soonest = Math.min(end, ...[...timers].map(({ at }) => at));
        time = Math.max(time, soonest);
        await runDue();
      }
    },
    suspend: async (ms) => {
      time += ms;
      await runDue();
    },
  };
}
