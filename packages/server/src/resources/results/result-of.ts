import {
  type Asked,
  askQuery,
  type QuerySettings,
  querySchema,
  type RefreshMode,
  readWeekAndTests,
} from '../../analytics/index.js';
import type { Deps } from '../../deps.js';
import { isoTime } from '../../http/dates.js';
import { refuseUnknownFields } from '../../http/unknown-fields.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import { EventsUnavailable } from '../../ports/events.js';

type Project = { id: number; timezone: string };

/** Computes the results of several queries of a project, as one read of it asks for. */
export interface Results {
  of(query: JsonObject | null): Promise<Result>;
}

/** What is known of the result of a query, as insights show it. */
export interface Result {
  fields: ResultFields;
  /** Why it could not be computed. */
  error: ApiError | null;
}

export type ResultFields = ReturnType<typeof fieldsOf>;

/** How many are computed at the same time. */
const AT_ONCE = 3;

/** Results as `refresh` says; `signal`: the reader has gone. */
export function resultsOf(deps: Deps, project: Project, refresh: RefreshMode, signal?: AbortSignal): Results {
  let settings: Promise<QuerySettings> | undefined;
  const turns = turnsOf(AT_ONCE);

  async function ask(query: JsonObject): Promise<Asked> {
    const parsed = validate(querySchema, query);
    refuseUnknownFields(querySchema, query);
    settings ??= readWeekAndTests(deps.db, project.id);
    return askQuery(deps, project, parsed, { refresh, queryId: null, settings: await settings, ...(signal ? { signal } : {}) });
  }
  return {
    of: async (query) => {
      if (query === null) return { fields: fieldsOf(null), error: null };
      try {
        return { fields: fieldsOf(await turns(() => ask(query))), error: null };
      } catch (error) {
        // what is at fault in one query says nothing of the others
        if (error instanceof ApiError) return { fields: fieldsOf(null), error };
        if (error instanceof EventsUnavailable) return { fields: fieldsOf(null), error: new ApiError('unavailable') };
        throw error;
      }
    },
  };
}

/** Aborted when whoever asks goes away before the answer. */
export function goneSignal(raw: { destroyed: boolean; once(event: 'close', heard: () => void): unknown }): AbortSignal {
  const gone = new AbortController();
  // who has left while the metadata was read is not told of again
  if (raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

/** What insights show without a result. */
export const NO_RESULT = fieldsOf(null);

function fieldsOf(asked: Asked | null) {
  const parts: Record<string, unknown> = Object.fromEntries(Object.entries(asked?.result ?? {}));
  const { results = null, hasMore = null, columns = null, types = null } = parts;
  const computedAt = asked?.computedAt ?? null;
  return {
    result: results,
    hasMore,
    columns,
    types,
    hogql: null,
    is_cached: asked?.isCached ?? false,
    last_refresh: computedAt === null ? null : isoTime(new Date(computedAt)),
    query_status: asked?.status ?? null,
    cache_target_age: null,
    next_allowed_client_refresh: null,
  };
}

/** Runs work, at most `most` at a time, the others in the order in which they came. */
function turnsOf(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
