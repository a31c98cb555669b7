import type { Deps } from '../deps.js';
import { type JobKind, JobTimeout, NoUseTryingAgain } from './job.js';
import { tellOnce } from './log-once.js';
import { type ClaimedJob, claimJobs, deleteJob, extendLeases, returnJob } from './store.js';

/** What a server does at the same time. */
const AT_ONCE = 2;
/** How long after its coming a job of another server is seen at most; milliseconds. */
const LOOK_MS = 2_000;
/** How long a server that is not heard of keeps its jobs; milliseconds. */
const LEASE_MS = 30_000;
const HEARTBEAT_MS = 10_000;
/** Pause before the second try, growing with each; milliseconds. */
const RETRY_MS = 2_000;

export interface Jobs {
  /** Looks for jobs now instead of at the next turn. */
  wake(): void;
  /** Takes no more, stops what is under way and gives it back to be begun anew by whoever is there. */
  stop(): Promise<void>;
}

type Sources = Pick<Deps, 'db' | 'clock' | 'ids' | 'log' | 'scheduler'>;

/** Runs the jobs of these kinds, as one of any number of servers. */
export function startJobs(deps: Sources, kinds: Readonly<Record<string, JobKind>>): Jobs {
  const { db, clock, log, scheduler } = deps;
  const by = deps.ids.uuid();
  const running = new Map<number, { stop: AbortController; done: Promise<void> }>();
  const lease = () => ({ by, until: new Date(clock.now() + LEASE_MS) });
  let isStopped = false;
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;
  const fault = tellOnce(log, 'warn', 'what had failed works again');

  const look = async () => {
    do {
      isAskedAgain = false;
      const free = AT_ONCE - running.size;
      if (isStopped || free <= 0) return;
      const claimed = await claimJobs(db, Object.keys(kinds), lease(), new Date(clock.now()), free);
      for (const job of claimed) begin(job);
    } while (isAskedAgain);
  };
  const wake = () => {
    isAskedAgain = true;
    looking ??= look()
      .then(fault.worked, (error: unknown) => fault.failed('jobs could not be looked for', error))
      .finally(() => {
        looking = null;
      });
  };

  const begin = (job: ClaimedJob) => {
    const kind = kinds[job.kind];
    if (!kind) return;
    const stop = new AbortController();
    const done = runOne(deps, { by, kind, job, stop })
      .catch((error: unknown) => log.warn({ err: error, job: job.id }, 'the end of a job could not be written down'))
      .finally(() => {
        running.delete(job.id);
        wake();
      });
    running.set(job.id, { stop, done });
  };

  const beat = async () => {
    // those that begin meanwhile are not asked for
    const beating = [...running];
    if (beating.length === 0) return;
    const ids = beating.map(([id]) => id);
    const ours = new Set(await extendLeases(db, ids, lease()));
    for (const [id, { stop }] of beating) if (!ours.has(id)) stop.abort();
  };

  const stopLooking = scheduler.every(LOOK_MS, wake);
  const stopBeating = scheduler.every(HEARTBEAT_MS, () => {
    beat().catch((error: unknown) => log.warn({ err: error }, 'the leases of jobs could not be extended'));
  });
  wake();

  return {
    wake,
    stop: async () => {
      isStopped = true;
      stopLooking();
      stopBeating();
      await looking;
      for (const { stop } of running.values()) stop.abort();
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

interface Run {
  /** The id of this server. */
  by: string;
  kind: JobKind;
  job: ClaimedJob;
  stop: AbortController;
}

async function runOne({ db, clock, log, scheduler }: Sources, { by, kind, job, stop }: Run): Promise<void> {
  const giveUp = (error: unknown) =>
    db.transaction().execute(async (tx) => {
      if (await deleteJob(tx, job.id, by)) await kind.failed(tx, job, error);
    });
  // the servers before have died of it, or with it
  if (job.attempt > kind.attempts) return giveUp(null);
  const cancelDeadline = scheduler.after(kind.deadlineMs, () => stop.abort(new JobTimeout('This took too long.')));
  try {
    const write = await kind.run(job, stop.signal);
    stop.signal.throwIfAborted();
    await db.transaction().execute(async (tx) => {
      if (await deleteJob(tx, job.id, by)) await write(tx);
    });
  } catch (error) {
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
    const isStop = stop.signal.aborted && !(reason instanceof JobTimeout);
    const isLast = job.attempt >= kind.attempts || reason instanceof NoUseTryingAgain || reason instanceof JobTimeout;
    if (isStop) {
      // a stop in order is no fault of the job
      await returnJob(db, job.id, by, { runAt: new Date(clock.now()), attempts: job.attempt - 1 });
    } else if (isLast) {
      await giveUp(reason);
    } else {
      log.warn({ err: reason, job: job.id }, 'a job failed and will be tried again');
      const runAt = new Date(clock.now() + RETRY_MS * job.attempt);
      await returnJob(db, job.id, by, { runAt, attempts: job.attempt });
    }
  } finally {
    cancelDeadline();
  }
}
