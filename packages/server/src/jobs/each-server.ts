import type { Deps } from '../deps.js';
import type { LogOnce } from '../kernel/log-once.js';
import { JobTimeout, type ScheduleKind } from './kinds.js';
import type { RunMetrics } from './run-metrics.js';
import { nextRun } from './schedule.js';

/**
 * Runs a schedule in this process, one run at a time. A failed run is logged, unless the one before failed with the same error, and does
 * not end the schedule.
 * @returns stops the schedule; resolves once the current run has ended
 */
export function startOnEachServer(
  { clock, scheduler }: Pick<Deps, 'clock' | 'scheduler'>,
  metrics: RunMetrics,
  kind: ScheduleKind,
  { name, fault }: { name: string; fault: LogOnce },
): () => Promise<void> {
  let cancel = () => {};
  let running: Promise<void> = Promise.resolve();
  let stop = new AbortController();
  let isStopped = false;

  async function run(): Promise<void> {
    stop = new AbortController();
    const cancelDeadline = scheduler.after(kind.deadlineMs, () => stop.abort(new JobTimeout('This took too long.')));
    const end = metrics.start(name);
    try {
      await kind.run(stop.signal);
      end('ok');
      fault.worked();
    } catch (error) {
      end(isStopped ? 'stopped' : 'failed');
      if (!isStopped) fault.failed('a repeated job failed and will be tried again', error);
    } finally {
      cancelDeadline();
    }
    wait();
  }

  function wait(): void {
    if (isStopped) return;
    const now = clock.now();
    cancel = scheduler.after(nextRun(kind, now) - now, () => {
      running = run();
    });
  }

  wait();
  return async () => {
    isStopped = true;
    cancel();
    stop.abort();
    await running;
  };
}
