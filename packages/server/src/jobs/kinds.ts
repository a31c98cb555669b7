import type { Json } from '../kernel/json.js';
import type { DbTransaction } from '../ports/db.js';

/** Recurring background work, such as purges and sweeps. */
export interface ScheduleKind {
  /** Milliseconds from the end of a run to the start of the next, or a cron pattern in UTC. */
  every: number | string;
  /**
   * `one-server`: each run is leased, so that only one of several servers does it. `each-server`: every server runs it. Such work claims
   * its rows one by one, or is about the process itself.
   */
  on: 'one-server' | 'each-server';
  /** How long one run may take; milliseconds. */
  deadlineMs: number;
  /** `signal` aborts at the deadline, when the service stops, and when another server has taken the lease. */
  run(signal: AbortSignal): Promise<unknown>;
}

/** Background work on the jobs of a queue. */
export interface QueueKind {
  /** How long one run may take; milliseconds. */
  deadlineMs: number;
  /** How often a job runs at most, including the first run. */
  attempts: number;
  /** Jobs of this kind that one server runs at the same time, beside those of others. By default all kinds without it share a limit. */
  concurrency?: number;
  /** Pause after a failed run, by its number from 1 on; milliseconds. By default it grows by two seconds with each. */
  pauseMs?(attempt: number): number;
  /**
   * Does the work. Resolves with a function that stores its outcome. The runner calls it in the transaction that ends the job, or not at
   * all if another server has the lease by now. A job that throws is retried, except for {@link UnrecoverableError}.
   */
  run(job: Job, signal: AbortSignal): Promise<(tx: DbTransaction) => Promise<void>>;
  /** Stores that the job failed after its last run. `error` null: the servers that ran it died. */
  failed(tx: DbTransaction, job: Job, error: unknown): Promise<void>;
}

/** A row of the queue. */
export interface Job {
  id: number;
  projectId: number;
  payload: Json;
  /** The number of this run; the first is 1. */
  attempt: number;
}

/** All background work of a service, by name. */
export interface BackgroundKinds {
  schedules: Readonly<Record<string, ScheduleKind>>;
  queues: Readonly<Record<string, QueueKind>>;
}

/** An error that a retry cannot avoid. The job fails at once. */
export class UnrecoverableError extends Error {
  override name = 'UnrecoverableError';
}

/** A run took longer than its kind allows. */
export class JobTimeout extends Error {
  override name = 'JobTimeout';
}
