import { createQueue } from '../../kernel/queue.js';
import type { Scheduler } from '../../ports/system.js';

/** The timers and the event loop of Node.js. A process needs one: the callers of `yield` take turns within it. */
export function createScheduler(): Scheduler {
  const yielding = createQueue<() => void>();
  const resumeNext = () => {
    yielding.take(1)[0]?.();
    if (yielding.length() > 0) setImmediate(resumeNext);
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
        yielding.push(resolve);
        if (yielding.length() === 1) setImmediate(resumeNext);
      }),
  };
}
