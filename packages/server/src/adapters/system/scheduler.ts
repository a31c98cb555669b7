import { createQueue } from '../../kernel/queue.js';
import type { Scheduler } from '../../ports/system.js';

/** The timers and the event loop of Node.js. A process has one: its callers of `yield` wait in one queue. */
export function createScheduler(): Scheduler {
  const waiting = createQueue<() => void>();
  const resumeNext = () => {
    waiting.take(1)[0]?.();
    if (waiting.length() > 0) setImmediate(resumeNext);
  };
  return {
    uptime: () => performance.now(),
    after: (ms, work, { keepsAlive = false } = {}) => {
      const timer = setTimeout(work, ms);
      if (!keepsAlive) timer.unref();
      return () => clearTimeout(timer);
    },
    every: (ms, work) => {
      const timer = setInterval(work, ms).unref();
      return () => clearInterval(timer);
    },
    yield: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length() === 1) setImmediate(resumeNext);
      }),
  };
}
