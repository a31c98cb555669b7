import type { Ports } from '../../deps.js';
import { createLeases } from '../../jobs/index.js';
import { ApiError } from '../../kernel/errors.js';
import { EventsUnavailable } from '../../ports/events.js';
import type { QueryResult } from '../kinds/list.js';
import { KEPT_MS, type QueryStatus, statusOf } from './query-status.js';
import * as store from './run-store.js';

/** Computations under way that one server has names for at most. */
const MOST = 1_000;
/** How long a server that is not heard of counts as alive, and how often one says that it goes on; milliseconds. */
const LEASE_MS = 20_000;
const EXTEND_MS = 5_000;
/** Characters of an answer that is kept to be fetched, and of all those of a project. */
const MOST_OF_ONE = 16 * 1024 * 1024;
const MOST_OF_PROJECT = 64 * 1024 * 1024;

/**
 * Computations that have a name, by which any server can tell how far they are and end them. The database knows them; the server
 * that is at one says so again and again, so that those of a server that died are not waited for.
 */
export interface QueryRuns {
  /** Begins one in the background; one of the same name that goes on, at whatever server, goes on instead. */
  start(projectId: number, name: string, work: (signal: AbortSignal) => Promise<QueryResult>): Promise<QueryStatus>;
  /** Does work that somebody waits for, which can be ended by its name meanwhile unless another has the name. */
  watch<T>(projectId: number, name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  status(projectId: number, name: string): Promise<QueryStatus | null>;
  /** Ends it and forgets it; whether there was one. */
  cancel(projectId: number, name: string): Promise<boolean>;
  /** Forgets what nobody has fetched in time. */
  sweep(): Promise<void>;
  /** Ends those in the background and begins no more. */
  close(): Promise<void>;
}

interface Running {
  projectId: number;
  name: string;
  controller: AbortController;
  /** Resolves once its end is written down; null: somebody waits for it. */
  background: Promise<void> | null;
}

/** Those of one server. */
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
    const isOurs = projectId === null ? running.size > 0 : [...running.values()].some((one) => one.projectId === projectId);
    if (isOurs) leases.extend().catch((error: unknown) => log.warn({ err: error }, 'running queries could not be looked up'));
  });

  const unwritten = (error: unknown) => log.warn({ err: error }, 'the end of a query could not be written down');

  async function begin(projectId: number, name: string): Promise<{ run: string; entry: Running; row: store.RunRow } | null> {
    if (isClosed) throw new ApiError('unavailable');
    if (running.size >= MOST) throw new ApiError('throttled', 'Too many queries run. Try again shortly.', null, 10);
    const run = ids.uuid();
    const now = clock.now();
    const times = { startedAt: new Date(now), leasedUntil: new Date(now + LEASE_MS) };
    if (!(await store.insertRun(db, projectId, { name, run, ...times }))) return null;
    const entry: Running = { projectId, name, controller: new AbortController(), background: null };
    running.set(run, entry);
    // ended elsewhere
    leases.hold(run, () => entry.controller.abort(cancelled()));
    const row = { name, started_at: times.startedAt, leased_until: times.leasedUntil };
    return { run, entry, row: { ...row, ended_at: null, error_message: null, results: null } };
  }

  async function end(run: string, projectId: number, outcome: QueryResult | Error): Promise<void> {
    const text = outcome instanceof Error ? null : JSON.stringify(outcome);
    const results = text !== null && text.length <= MOST_OF_ONE ? text : null;
    const errorMessage = outcome instanceof Error ? outcome.message : results === null ? TOO_LARGE : null;
    await store.endRun(db, run, { endedAt: new Date(clock.now()), results, errorMessage });
    if (results !== null) await store.dropOldResults(db, projectId, MOST_OF_PROJECT, NOT_KEPT);
  }

  function forget(run: string): void {
    leases.release(run);
    running.delete(run);
  }

  async function status(projectId: number, name: string): Promise<QueryStatus | null> {
    if (!isName(name)) return null;
    const now = clock.now();
    const row = await store.readRun(db, projectId, name, new Date(now - KEPT_MS));
    return row ? statusOf(projectId, row, now) : null;
  }

  return {
    start: async (projectId, name, work) => {
      const begun = await begin(projectId, name);
      if (!begun) return (await status(projectId, name)) ?? refuse('A query of this name has just ended. Try again.');
      const { run, entry, row } = begun;
      entry.background = work(entry.controller.signal)
        .catch((error: unknown) => toldError(error, (unknown) => log.error({ err: unknown }, 'a query in the background failed')))
        .then((outcome) => end(run, projectId, outcome))
        .catch(unwritten)
        .finally(() => forget(run));
      return statusOf(projectId, row, clock.now());
    },
    watch: async (projectId, name, work) => {
      const begun = await begin(projectId, name);
      if (!begun) return work(new AbortController().signal);
      try {
        return await work(begun.entry.controller.signal);
      } finally {
        forget(begun.run);
        // one that stays counts as gone soon
        await store.deleteRun(db, begun.run).catch(unwritten);
      }
    },
    status,
    cancel: async (projectId, name) => {
      if (!isName(name)) return false;
      const found = await store.cancelRun(db, projectId, name);
      for (const one of running.values()) {
        if (one.projectId === projectId && one.name === name) one.controller.abort(cancelled());
      }
      return found;
    },
    sweep: () => store.deleteRunsBefore(db, new Date(clock.now() - KEPT_MS)),
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
const NOT_KEPT = 'The answer has made room for newer ones. Ask again.';

/** The database takes no NUL in a text. */
const isName = (name: string): boolean => !name.includes('\0');

const cancelled = () => new ApiError('invalid_input', 'The query was cancelled.');

function refuse(detail: string): never {
  throw new ApiError('invalid_input', detail);
}

/** What clients are told of a failure; `unexpected` hears of those that are our own fault. */
function toldError(error: unknown, unexpected: (error: unknown) => void): Error {
  if (error instanceof ApiError) return new Error(error.body.detail);
  if (error instanceof EventsUnavailable) return new Error(new ApiError('unavailable').body.detail);
  unexpected(error);
  return new Error('A server error occurred.');
}
