import type { Json } from '../kernel/json.js';
import type { DbTransaction } from '../ports/db.js';

/** Work that one server takes on. */
export interface Job {
  id: number;
  projectId: number;
  payload: Json;
  /** Which time this is; the first is 1. */
  attempt: number;
}

/** One kind of work; the map of them is given to `startJobs`. */
export interface JobKind {
  /** How long one run may take; milliseconds. */
  deadlineMs: number;
  /** How often it is tried in all. */
  attempts: number;
  /**
   * Does the work and answers with what is to be written down; that is done together with the end of the job, or not at all when
   * another server has it by now. What is thrown is tried again, but for {@link NoUseTryingAgain}.
   */
  run(job: Job, signal: AbortSignal): Promise<(tx: DbTransaction) => Promise<void>>;
  /** Writes down that it is given up; `error` null: the servers that were at it have died. */
  failed(tx: DbTransaction, job: Job, error: unknown): Promise<void>;
}

/** Thrown by a run that would end the same way the next time. */
export class NoUseTryingAgain extends Error {
  override name = 'NoUseTryingAgain';
}

/** A run took longer than its kind allows. */
export class JobTimeout extends Error {
  override name = 'JobTimeout';
}
