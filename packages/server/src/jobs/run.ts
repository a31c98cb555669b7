import type { Deps } from '../deps.js';
import type { LogOnce } from '../kernel/log-once.js';
import { JobTimeout, type QueueKind, type ScheduleKind, UnrecoverableError } from './kinds.js';
import type { RunMetrics, RunResult } from './run-metrics.js';
import { nextRun, nextTry } from './schedule.js';
import { type ClaimedJob, deleteJob, returnJob } from './store.js';

/** Pause before the first retry of a failed job; it grows with each. Milliseconds. */
const RETRY_MS = 2_000;

interface Run {
  /** The id of this server. */
  by: string;
  job: ClaimedJob;
  /** Aborting it ends the run early. */
  stop: AbortController;
  metrics: RunMetrics;
}

type RunDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'scheduler'>;

/** Runs a job of a queue and stores the outcome: done, failed, or to be retried. */
export async function runJob(deps: RunDeps, run: Run, kind: QueueKind): Promise<void> {
  const { db, clock, log } = deps;
  const { by, stop } = run;
  const { id, attempt, projectId, payload } = run.job;
  if (projectId === null) return;
  const job = { id, attempt, projectId, payload };
  const giveUp = (error: unknown) =>
    db.transaction().execute(async (tx) => {
      if (await deleteJob(tx, id, by)) await kind.failed(tx, job, error);
    });
  // the servers of all earlier runs died
  if (attempt > kind.attempts) return giveUp(null);
  await runInTime(deps, run, kind.deadlineMs, {
    run: async () => {
      const write = await kind.run(job, stop.signal);
      stop.signal.throwIfAborted();
      await db.transaction().execute(async (tx) => {
        if (await deleteJob(tx, id, by)) await write(tx);
      });
    },
    // a run that a shutdown aborts does not count
    stopped: () => returnJob(db, id, by, { runAt: new Date(clock.now()), attempts: attempt - 1 }),
    failed: async (reason) => {
      if (attempt >= kind.attempts || reason instanceof UnrecoverableError || reason instanceof JobTimeout) return giveUp(reason);
      log.warn({ err: reason, job: id }, 'a job failed and will be tried again');
      const pauseMs = kind.pauseMs?.(attempt) ?? RETRY_MS * attempt;
      await returnJob(db, id, by, { runAt: new Date(clock.now() + pauseMs), attempts: attempt });
    },
  });
}

/** Runs a schedule once for all servers, and stores when its next run is due. */
export async function runSchedule(deps: RunDeps, run: Run, kind: ScheduleKind, fault: LogOnce): Promise<void> {
  const { db, clock } = deps;
  const { by, stop } = run;
  const { id, attempt } = run.job;
  await runInTime(deps, run, kind.deadlineMs, {
    run: async () => {
      await kind.run(stop.signal);
      stop.signal.throwIfAborted();
      await returnJob(db, id, by, { runAt: new Date(nextRun(kind, clock.now())), attempts: 0 });
      fault.worked();
    },
    stopped: () => returnJob(db, id, by, { runAt: new Date(clock.now()), attempts: attempt - 1 }),
    failed: async (reason) => {
      fault.failed('a repeated job failed and will be tried again', reason);
      await returnJob(db, id, by, { runAt: new Date(nextTry(kind, clock.now(), attempt)), attempts: attempt });
    },
  });
}

interface Steps {
  run(): Promise<void>;
  /** Releases a run that was stopped, or whose lease another server has taken. */
  stopped(): Promise<void>;
  failed(reason: unknown): Promise<void>;
}

/** Fails a run that ends after its deadline, whatever its result. */
async function runInTime(
  { scheduler }: RunDeps,
  { job, stop, metrics }: Run,
  deadlineMs: number,
  { run, stopped, failed }: Steps,
): Promise<void> {
  const cancelDeadline = scheduler.after(deadlineMs, () => stop.abort(new JobTimeout('This took too long.')));
  const end = metrics.start(job.kind);
  let result: RunResult = 'failed';
  try {
    await run();
    result = 'ok';
  } catch (error) {
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
    if (!stop.signal.aborted || reason instanceof JobTimeout) return await failed(reason);
    result = 'stopped';
    await stopped();
  } finally {
    cancelDeadline();
    end(result);
  }
}
