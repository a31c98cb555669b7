import type { Deps } from '../deps.js';
import { type LogOnce, logOnce } from '../kernel/log-once.js';
import { startOnEachServer } from './each-server.js';
import type { BackgroundKinds } from './kinds.js';
import { createLeases } from './leases.js';
import { runJob, runSchedule } from './run.js';
import { createRunMetrics, type RunMetrics } from './run-metrics.js';
import { longestWait, nextRun } from './schedule.js';
import { type ClaimedJob, claimJobs, extendLeases, insertSchedules, type Lease } from './store.js';

/** Jobs that one server runs at the same time, of all kinds without a limit of their own. */
const QUEUE_LIMIT = 2;
/** Interval at which a server claims due rows without being woken; milliseconds. */
const CLAIM_QUEUE_MS = 2_000;
const CLAIM_SCHEDULES_MS = 5_000;
/** Duration of a lease after its last extension; milliseconds. */
const LEASE_MS = 30_000;
const EXTEND_MS = 10_000;

/** All background work of one server. */
export interface Runner {
  /** Starts these kinds of work. */
  start(kinds: BackgroundKinds): void;
  /** Claims due rows now instead of at the next tick. Resolves once they run, within the limit of concurrent jobs. */
  wake(): Promise<void>;
  /** Stops claiming, aborts running work and releases its rows, for another server or the next start. May be called again. */
  stop(): Promise<void>;
}

/**
 * Runs background work; any number of servers share it. A row of `jobs` is leased to the server that runs it:
 *
 *   waiting ── claim ──> leased ── the run ends ──> gone (queue), waiting for its next time (schedule)
 *      ^                   │
 *      └───────────────────┴── the run fails or is stopped, or the lease expires
 */
export function createRunner(deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'log' | 'scheduler' | 'metrics'>): Runner {
  const { db, clock, log, scheduler } = deps;
  const by = deps.ids.uuid();
  const claimFault = logOnce(log, 'warn', 'what had failed works again');
  const lease = (): Lease => ({ by, until: new Date(clock.now() + LEASE_MS) });
  const leases = createLeases<number>(deps, {
    name: 'jobs',
    everyMs: EXTEND_MS,
    extend: (ids) => extendLeases(db, ids, lease()),
  });
  const running = new Map<number, { stop: AbortController; done: Promise<void>; lane: string | null }>();
  const faults = new Map<string, LogOnce>();
  let work: { kinds: BackgroundKinds; metrics: RunMetrics } | null = null;
  let stops: (() => void | Promise<void>)[] = [];
  let areSchedulesStored = false;
  let isStopped = false;

  function faultOf(kind: string): LogOnce {
    const fault = faults.get(kind) ?? logOnce(log, 'warn', 'what had failed works again', { job: kind });
    faults.set(kind, fault);
    return fault;
  }

  function begin(job: ClaimedJob, run: (stop: AbortController) => Promise<void>, lane: string | null): void {
    const stop = new AbortController();
    leases.hold(job.id, () => stop.abort());
    const done = run(stop)
      .catch((error: unknown) => log.warn({ err: error, job: job.id }, 'the end of a job could not be written down'))
      .finally(() => {
        leases.release(job.id);
        running.delete(job.id);
        if (lane !== null) void claimJobsNow();
      });
    running.set(job.id, { stop, done, lane });
  }

  async function claimQueue(): Promise<void> {
    for (const { lane, limit, names } of lanesOf(work?.kinds.queues ?? {})) {
      const free = limit - [...running.values()].filter((one) => one.lane === lane).length;
      if (isStopped || !work || free <= 0) continue;
      const { kinds, metrics } = work;
      for (const job of await claimJobs(db, names, lease(), new Date(clock.now()), free)) {
        const kind = kinds.queues[job.kind];
        if (kind) begin(job, (stop) => runJob(deps, { by, job, stop, metrics }, kind), lane);
      }
    }
  }

  async function claimSchedules(): Promise<void> {
    if (isStopped || !work) return;
    const { kinds, metrics } = work;
    const now = clock.now();
    const schedules = Object.entries(kinds.schedules).filter(([, { on }]) => on === 'one-server');
    const next = schedules.map(([kind, schedule]) => ({ kind, runAt: new Date(nextRun(schedule, now)) }));
    if (!areSchedulesStored) await insertSchedules(db, next, new Date(now));
    areSchedulesStored = true;
    const waits = schedules.map(([kind, schedule]) => ({ kind, longestWaitMs: longestWait(schedule, now) }));
    for (const job of await claimJobs(db, waits, lease(), new Date(now), schedules.length)) {
      const kind = kinds.schedules[job.kind];
      if (kind) begin(job, (stop) => runSchedule(deps, { by, job, stop, metrics }, kind, faultOf(job.kind)), null);
    }
  }

  const claiming = (claim: () => Promise<void>) =>
    merged(() => claim().then(claimFault.worked, (error: unknown) => claimFault.failed('jobs could not be claimed', error)));
  const claimJobsNow = claiming(claimQueue);
  const claimSchedulesNow = claiming(claimSchedules);
  const wake = async () => {
    await Promise.all([claimJobsNow(), claimSchedulesNow()]);
  };

  return {
    start(kinds) {
      const metrics = createRunMetrics(deps);
      work = { kinds, metrics };
      stops = [
        scheduler.every(CLAIM_QUEUE_MS, () => void claimJobsNow()),
        scheduler.every(CLAIM_SCHEDULES_MS, () => void claimSchedulesNow()),
        ...Object.entries(kinds.schedules)
          .filter(([, { on }]) => on === 'each-server')
          .map(([name, kind]) => startOnEachServer(deps, metrics, kind, { name, fault: faultOf(name) })),
      ];
      void wake();
    },
    wake,
    async stop() {
      isStopped = true;
      const stopped = Promise.all(stops.map((stop) => stop()));
      stops = [];
      await wake();
      for (const { stop } of running.values()) stop.abort();
      await Promise.all([...running.values()].map(({ done }) => done));
      await stopped;
    },
  };
}

/** Kinds of jobs that share a limit of concurrent runs: those without a limit of their own together, and each other kind alone. */
function lanesOf(queues: BackgroundKinds['queues']) {
  const kinds = Object.entries(queues);
  const shared = kinds.filter(([, { concurrency }]) => concurrency === undefined).map(([kind]) => ({ kind }));
  const own = kinds.flatMap(([kind, { concurrency: limit }]) =>
    limit === undefined ? [] : [{ lane: kind, limit, names: [{ kind }] }],
  );
  return [{ lane: '', limit: QUEUE_LIMIT, names: shared }, ...own];
}

/** Merges concurrent calls: one runs at a time, and one more after it for all calls that arrived meanwhile. */
function merged(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let isCalledAgain = false;
  const loop = async () => {
    do {
      isCalledAgain = false;
      await work();
    } while (isCalledAgain);
    running = null;
  };
  return () => {
    isCalledAgain = true;
    running ??= loop();
    return running;
  };
}
