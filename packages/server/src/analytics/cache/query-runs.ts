import type { Ports } from '../../deps.js';
import { isoTime } from '../../http/dates.js';
import { createLeases } from '../../jobs/index.js';
import { ApiError } from '../../kernel/errors.js';
import { EventsUnavailable } from '../../ports/events.js';
import type { QueryResult } from '../query.js';
import type { RunRow } from './run-store.js';
import * as store from './run-store.js';

/** Runs at a time on one server. */
const MAX_RUNNING = 1_000;
/** Duration of the lease of a run, and the interval at which its server extends it; milliseconds. */
const LEASE_MS = 20_000;
const EXTEND_MS = 5_000;
/** Characters of a stored result, and of all stored results of a project. */
const MAX_RESULT_LENGTH = 16 * 1024 * 1024;
const MAX_RESULTS_LENGTH = 64 * 1024 * 1024;

/**
 * Query computations with a name, by which clients poll or cancel them at any server. PostgreSQL stores them. The server that computes
 * one extends its lease, so that the run of a server that died counts as failed soon.
 *
 *              start, watch            work ends
 *     (none) ----------------> running ----------> ended --- `RETENTION_MS` over ---> (none)
 *                                |
 *                                +--- cancelled ---> (none)
 *                                +--- lease expired: its server died ---> reported as failed
 */
export interface QueryRuns {
  /** Starts a run in the background. If one of the same name is running at any server, that one continues instead. */
  start(
    projectId: number,
    run: { name: string; experimentId: number | null },
    work: (signal: AbortSignal) => Promise<QueryResult>,
  ): Promise<QueryStatus>;
  /** Runs work whose caller waits for it, cancellable by its name unless another run has that name. */
  watch<T>(projectId: number, name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  find(projectId: number, name: string): Promise<QueryRun | null>;
  /** Cancels and deletes a run. Resolves with whether there was one. */
  cancel(projectId: number, name: string): Promise<boolean>;
  /** Deletes runs whose retention is over. */
  sweep(): Promise<void>;
  /** Cancels the background runs of this server and starts no more. */
  close(): Promise<void>;
}

interface Running {
  projectId: number;
  name: string;
  controller: AbortController;
  /** Resolves once its end is stored; null: a caller waits for the run, and nothing is stored. */
  background: Promise<void> | null;
}

/** The runs of one server. */
export function createQueryRuns(deps: Ports): QueryRuns {
  const { db, clock, ids, log, changes } = deps;
  const leases = createLeases<string>(deps, {
    name: 'queries',
    everyMs: EXTEND_MS,
    extend: (runs) => store.extendRuns(db, runs, new Date(clock.now() + LEASE_MS)),
  });
  const running = new Map<string, Running>();
  let isClosed = false;
  changes.onChange((projectId) => {
    const isRunningHere =
      projectId === null ? running.size > 0 : [...running.values()].some((one) => one.projectId === projectId);
    if (isRunningHere)
      leases.extend().catch((error: unknown) => log.warn({ err: error }, 'running queries could not be looked up'));
  });

  const logUnwritten = (error: unknown) => log.warn({ err: error }, 'the end of a query could not be written down');

  async function begin(
    projectId: number,
    name: string,
    experimentId: number | null,
  ): Promise<{ run: string; entry: Running; row: store.RunRow } | null> {
    if (isClosed) throw new ApiError('unavailable');
    if (running.size >= MAX_RUNNING) throw new ApiError('throttled', 'Too many queries run. Try again shortly.', null, 10);
    const run = ids.uuid();
    const now = clock.now();
    const times = { startedAt: new Date(now), leasedUntil: new Date(now + LEASE_MS) };
    if (!(await store.insertRun(db, projectId, { name, run, experimentId, ...times }))) return null;
    const entry: Running = { projectId, name, controller: new AbortController(), background: null };
    running.set(run, entry);
    // cancelled at another server
    leases.hold(run, () => entry.controller.abort(cancelled()));
    const row = { name, started_at: times.startedAt, leased_until: times.leasedUntil, experiment_id: experimentId };
    return { run, entry, row: { ...row, ended_at: null, error_message: null, results: null } };
  }

  async function end(run: string, projectId: number, outcome: QueryResult | Error): Promise<void> {
    const text = outcome instanceof Error ? null : JSON.stringify(outcome);
    const results = text !== null && text.length <= MAX_RESULT_LENGTH ? text : null;
    const errorMessage = outcome instanceof Error ? outcome.message : results === null ? TOO_LARGE : null;
    await store.endRun(db, run, { endedAt: new Date(clock.now()), results, errorMessage });
    if (results !== null) await store.dropOldResults(db, projectId, MAX_RESULTS_LENGTH, EVICTED);
  }

  function forget(run: string): void {
    leases.release(run);
    running.delete(run);
  }

  async function find(projectId: number, name: string): Promise<QueryRun | null> {
    if (!isName(name)) return null;
    const now = clock.now();
    const row = await store.readRun(db, projectId, name, new Date(now - RETENTION_MS));
    return row ? { status: statusOf(projectId, row, now), experimentId: row.experiment_id } : null;
  }

  /** The run that already has a name. @throws ApiError invalid_input: it has just ended, or is about another experiment */
  async function joined(projectId: number, name: string, experimentId: number | null): Promise<QueryStatus> {
    const found = await find(projectId, name);
    if (!found) refuse('A query of this name has just ended. Try again.');
    // the caller may see the results of their own experiment, and perhaps not of that one
    if (found.experimentId !== experimentId) refuse('Another query of this name runs. Choose another name.');
    return found.status;
  }

  return {
    start: async (projectId, { name, experimentId }, work) => {
      const begun = await begin(projectId, name, experimentId);
      if (!begun) return joined(projectId, name, experimentId);
      const { run, entry, row } = begun;
      entry.background = work(entry.controller.signal)
        .catch((error: unknown) =>
          errorForClient(error, (unknown) => log.error({ err: unknown }, 'a query in the background failed')),
        )
        .then((outcome) => end(run, projectId, outcome))
        .catch(logUnwritten)
        .finally(() => forget(run));
      return statusOf(projectId, row, clock.now());
    },
    watch: async (projectId, name, work) => {
      const begun = await begin(projectId, name, null);
      if (!begun) return work(new AbortController().signal);
      try {
        return await work(begun.entry.controller.signal);
      } finally {
        forget(begun.run);
        // a row that cannot be deleted counts as failed once its lease has expired
        await store.deleteRun(db, begun.run).catch(logUnwritten);
      }
    },
    find,
    cancel: async (projectId, name) => {
      if (!isName(name)) return false;
      const found = await store.cancelRun(db, projectId, name);
      for (const one of running.values()) {
        if (one.projectId === projectId && one.name === name) one.controller.abort(cancelled());
      }
      return found;
    },
    sweep: () => store.deleteRunsBefore(db, new Date(clock.now() - RETENTION_MS)),
    close: async () => {
      isClosed = true;
      const ending = [...running.values()].flatMap(({ background, controller }) => {
        if (background) controller.abort(new ApiError('unavailable', 'The server that computed this was stopped. Ask again.'));
        return background ?? [];
      });
      await Promise.all(ending);
    },
  };
}

const TOO_LARGE = 'The answer is too large to be fetched later. Ask for fewer rows, or with `refresh` `blocking`.';
const EVICTED = 'The answer has made room for newer ones. Ask again.';

/** PostgreSQL stores no NUL in a text. */
const isName = (name: string): boolean => !name.includes('\0');

const cancelled = () => new ApiError('invalid_input', 'The query was cancelled.');

function refuse(detail: string): never {
  throw new ApiError('invalid_input', detail);
}

/** The error that a client may see. `unexpected` is called with errors that are the service's own fault. */
function errorForClient(error: unknown, unexpected: (error: unknown) => void): Error {
  if (error instanceof ApiError) return new Error(error.body.detail);
  if (error instanceof EventsUnavailable) return new Error(new ApiError('unavailable').body.detail);
  unexpected(error);
  return new Error('A server error occurred.');
}

/** A run that is found by its name. */
interface QueryRun {
  status: QueryStatus;
  /** The experiment whose results it computes; null: it computes others. */
  experimentId: number | null;
}

/** State of a background run, as clients poll it. */
export interface QueryStatus {
  id: string;
  team_id: number;
  query_async: true;
  complete: boolean;
  error: boolean;
  error_message: string | null;
  /** null until the run has ended. */
  results: QueryResult | null;
  start_time: string;
  end_time: string | null;
  expiration_time: string;
}

/** Milliseconds after its start for which the result of a run can be fetched. */
const RETENTION_MS = 20 * 60 * 1000;

const SERVER_DIED = 'The server that computed this is gone. Ask again.';

/** The state of a run at a time (epoch milliseconds). A run whose lease has expired counts as failed. */
function statusOf(projectId: number, row: RunRow, now: number): QueryStatus {
  const isOrphan = row.ended_at === null && row.leased_until.getTime() < now;
  const endedAt = isOrphan ? row.leased_until : row.ended_at;
  const message = isOrphan ? SERVER_DIED : row.error_message;
  return {
    id: row.name,
    team_id: projectId,
    query_async: true,
    complete: endedAt !== null,
    error: message !== null,
    error_message: message,
    results: row.results === null ? null : JSON.parse(row.results),
    start_time: isoTime(row.started_at),
    end_time: endedAt && isoTime(endedAt),
    expiration_time: isoTime(new Date(row.started_at.getTime() + RETENTION_MS)),
  };
}
