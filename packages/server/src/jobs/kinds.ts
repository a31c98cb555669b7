import type { Json } from '../kernel/json.js';
import type { DbTransaction } from '../ports/db.js';

/** Background work that comes again and again: purges and sweeps. */
export interface ScheduleKind {
  /** Milliseconds from the end of a run to the start of the next, or a cron pattern in UTC. */
  every: number | string;
  /**
   * `one-server`: each run is leased, so that of any number of servers one does it. `each-server`: every server does it for itself, and
   * its rows are claimed one by one or belong to the process.
   */
  on: 'one-server' | 'each-server';
  /** How long one run may take; milliseconds. */
  deadlineMs: number;
  /** `signal` aborts at the deadline, at a stop of the service, and when another server has taken over. */
  run(signal: AbortSignal): Promise<unknown>;
}

/** Background work on rows of the queue. */
export interface QueueKind {
  /** How long one run may take; milliseconds. */
  deadlineMs: number;
  /** Runs of a job in all, the first included. */
  attempts: number;
  /**
   * Does the work and answers with what is to be written down. The runner writes it together with the end of the job, or not at all when
   * another server has the job by now. What is thrown is tried again, but for {@link NoUseTryingAgain}.
   */
  run(job: Job, signal: AbortSignal): Promise<(tx: DbTransaction) => Promise<void>>;
  /** Writes down that the job is given up; `error` null: the servers that ran it have died. */
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

/** All background work of a service by its name. */
export interface BackgroundKinds {
  schedules: Readonly<Record<string, ScheduleKind>>;
  queues: Readonly<Record<string, QueueKind>>;
}

/** Thrown by a run that would end the same way the next time. */
export class NoUseTryingAgain extends Error {
  override name = 'NoUseTryingAgain';
}

/** A run took longer than its kind allows. */
export class JobTimeout extends Error {
  override name = 'JobTimeout';
}
