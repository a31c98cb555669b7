import type { Clock, Scheduler } from '../ports/system.js';

/** Timers that fire only when a test moves the time, and a wall clock that moves with them. */
export interface ManualScheduler extends Scheduler {
  clock: Clock;
  /** Moves the time on, running what is due in its order, and lets promises settle between. */
  advance(ms: number): Promise<void>;
  /** Moves the time on at once, as for a process that was suspended: what is due runs once, late. */
  suspend(ms: number): Promise<void>;
  /** Sets the wall clock (forwards or backwards) by so many milliseconds; timers do not notice. */
  setClock(by: number): void;
}

interface Timer {
  at: number;
  every: number | null;
  work: () => void;
}

/** @param start epoch milliseconds that the wall clock shows at first */
export function manualScheduler(start = Date.UTC(2026, 4, 1)): ManualScheduler {
  const timers = new Set<Timer>();
  let time = 0;
  let wall = start;
  const add = (ms: number, every: number | null, work: () => void) => {
    const timer = { at: time + ms, every, work };
    timers.add(timer);
    return () => {
      timers.delete(timer);
    };
  };
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const next = () => [...timers].filter(({ at }) => at <= time).sort((a, b) => a.at - b.at)[0];

  async function runDue(): Promise<void> {
    for (let timer = next(); timer; timer = next()) {
      if (timer.every === null) timers.delete(timer);
      else timer.at = time + timer.every;
      timer.work();
      await settled();
    }
  }

  async function advance(ms: number): Promise<void> {
    await settled();
    for (const end = time + ms; time < end; ) {
      const soonest = Math.min(end, ...[...timers].map(({ at }) => at));
      time = Math.max(time, soonest);
      await runDue();
    }
  }

  return {
    clock: { now: () => wall + time },
    uptime: () => time,
    after: (ms, work) => add(ms, null, work),
    every: (ms, work) => add(ms, ms, work),
    yield: settled,
    advance,
    suspend: async (ms) => {
      time += ms;
      await runDue();
    },
    setClock: (by) => {
      wall += by;
    },
  };
}
