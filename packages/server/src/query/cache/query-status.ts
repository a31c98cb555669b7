import { isoTime } from '../../http/dates.js';
import { ApiError } from '../../kernel/errors.js';
import type { QueryResult } from '../kinds/list.js';

/** How far a computation in the background is, as clients poll it. */
export interface QueryStatus {
  id: string;
  team_id: number;
  query_async: true;
  complete: boolean;
  error: boolean;
  error_message: string | null;
  /** The answer, once it is there. */
  results: QueryResult | null;
  start_time: string;
  end_time: string | null;
  expiration_time: string;
}

/** Milliseconds for which an answer waits to be fetched. */
const KEPT_MS = 20 * 60 * 1000;
const MOST = 1_000;

interface Job {
  projectId: number;
  controller: AbortController;
  startedAt: number;
  endedAt: number | null;
  outcome: { result: QueryResult } | { error: string } | null;
}

/** The computations of this process that can be asked for, or ended, by an id. */
export interface Jobs {
  /** Begins one in the background; one of the same id that still runs goes on instead. */
  start(id: string, projectId: number, now: number, work: (signal: AbortSignal) => Promise<QueryResult>): void;
  /** Of one that somebody waits for: until `done` is called it can be ended by its id. */
  watch(id: string, projectId: number, now: number, controller: AbortController): { done(): void };
  status(id: string, projectId: number, now: number): QueryStatus | null;
  /** Ends it and forgets it; whether there was one. */
  cancel(id: string, projectId: number): boolean;
}

export function createJobs(): Jobs {
  const jobs = new Map<string, Job>();
  const keyOf = (projectId: number, id: string) => `${projectId} ${id}`;

  function sweep(now: number): void {
    for (const [key, { startedAt, outcome }] of jobs) {
      if (startedAt + KEPT_MS < now || (jobs.size >= MOST && outcome)) jobs.delete(key);
    }
    if (jobs.size >= MOST)
      throw new ApiError('throttled', 'Too many queries run in the background. Try again shortly.', null, 10);
  }

  return {
    start: (id, projectId, now, work) => {
      const known = jobs.get(keyOf(projectId, id));
      if (known && !known.outcome) return;
      sweep(now);
      const controller = new AbortController();
      const job: Job = { projectId, controller, startedAt: now, endedAt: null, outcome: null };
      jobs.set(keyOf(projectId, id), job);
      const begun = performance.now();
      const end = (outcome: NonNullable<Job['outcome']>) => {
        job.outcome = outcome;
        job.endedAt = now + Math.round(performance.now() - begun);
      };
      work(controller.signal).then(
        (result) => end({ result }),
        (error: unknown) => end({ error: error instanceof ApiError ? error.body.detail : 'A server error occurred.' }),
      );
    },
    watch: (id, projectId, now, controller) => {
      const key = keyOf(projectId, id);
      const job: Job = { projectId, controller, startedAt: now, endedAt: null, outcome: null };
      if (!jobs.has(key)) jobs.set(key, job);
      return {
        done: () => {
          if (jobs.get(key) === job) jobs.delete(key);
        },
      };
    },
    status: (id, projectId, now) => {
      const job = jobs.get(keyOf(projectId, id));
      if (!job || job.startedAt + KEPT_MS < now) return null;
      const { outcome } = job;
      return {
        id,
        team_id: projectId,
        query_async: true,
        complete: outcome !== null,
        error: outcome !== null && 'error' in outcome,
        error_message: outcome !== null && 'error' in outcome ? outcome.error : null,
        results: outcome !== null && 'result' in outcome ? outcome.result : null,
        start_time: isoTime(new Date(job.startedAt)),
        end_time: job.endedAt === null ? null : isoTime(new Date(job.endedAt)),
        expiration_time: isoTime(new Date(job.startedAt + KEPT_MS)),
      };
    },
    cancel: (id, projectId) => {
      const job = jobs.get(keyOf(projectId, id));
      if (!job) return false;
      jobs.delete(keyOf(projectId, id));
      job.controller.abort(new ApiError('invalid_input', 'The query was cancelled.'));
      return true;
    },
  };
}
