import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.js';
import type { Scheduler } from '../../ports/system.js';

/** The timers and the event loop of Node.js. */
export const createScheduler = (): Scheduler => ({
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
  yield: yieldToEventLoop,
});
