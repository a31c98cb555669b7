import { createHash } from 'node:crypto';
import { ApiError } from '../kernel/errors.js';
import type { EventsStore } from '../ports/events.js';
import { UnknownAction } from './action.js';
import type { IntervalParts } from './cache/interval-parts.js';
import { createKindContext, loadQueryMetadata, type QueryContext, type QueryMetadata, zoneOf } from './context.js';
import { createExecute } from './execute.js';
import type { Filter } from './filter.js';
import {
  answerExperiment,
  type ExperimentQuery,
  type ExperimentQuestion,
  experimentFilters,
  loadExperimentQuestion,
} from './kinds/experiment/experiment-query.js';
import { orRefuse } from './kinds/sql/ast.js';
import type { HogQLQuery, VariableValue } from './kinds/sql/sql-schema.js';
import { bindKind, type Query, type QueryResult } from './query.js';
import { findReferences } from './references.js';
import { readVariableDefaults } from './store.js';
import type { Zone } from './zone.js';

/** A validated query whose metadata (settings, cohorts, actions) is loaded. */
export interface PreparedQuery {
  /** Cache key: equal for queries with the same result over the same data. */
  key: string;
  /** @param parts the cache of intervals of the project, for kinds that consist of them */
  compute(events: EventsStore, signal: AbortSignal | undefined, parts?: IntervalParts): Promise<QueryResult>;
}

/**
 * Runs a query over the events of one project, without the result cache.
 * @throws ApiError invalid_input if the query exceeds a limit
 */
export const runQuery = async (events: EventsStore, query: Query, queryContext: QueryContext): Promise<QueryResult> =>
  (await prepareQuery(query, queryContext)).compute(events, queryContext.signal);

/**
 * Loads the metadata of a query, before any event is read.
 * @throws ApiError invalid_input, with the field in `attr`
 */
export async function prepareQuery(query: Query, context: QueryContext): Promise<PreparedQuery> {
  if (query.kind === 'ExperimentQuery') return prepareExperiment(query, context);
  if (query.kind === 'HogQLQuery' && query.unset.length > 0) {
    return prepareQuery(await withVariableDefaults(query, context), context);
  }
  const { filters, run } = bindKind(query);
  const queryContext = { ...context, zone: zoneOf(context) };
  const found = await withFieldPath(query, filters, queryContext, () =>
    loadQueryMetadata(Object.values(filters), queryContext, query.filterTestAccounts),
  );
  return {
    key: cacheKeyOf(query, queryContext, found),
    compute: async (events, signal, parts) =>
      run(
        await createKindContext(events, Object.values(filters), queryContext, found),
        createExecute(events, queryContext.projectId, signal, parts),
      ),
  };
}

/** The query with the defaults of its variables, which are a part of the cache key. @throws ApiError invalid_input: one has no value */
export async function withVariableDefaults(
  query: HogQLQuery,
  { db, projectId }: Pick<QueryContext, 'db' | 'projectId'>,
): Promise<HogQLQuery> {
  const defaults = db ? await readVariableDefaults(db, projectId, query.unset) : new Map<string, VariableValue>();
  return orRefuse('query__query', () => query.withDefaults(defaults));
}

/** What an experiment depends on is stored, not written in the query: the stored experiment is a part of the key. */
async function prepareExperiment(query: ExperimentQuery, context: QueryContext): Promise<PreparedQuery> {
  const question = await loadExperimentQuestion(query, context);
  const { filters, withoutTests } = experimentFilters(question);
  const found = await withFieldPath({ filterTestAccounts: false }, {}, context, () =>
    loadQueryMetadata(filters, context, withoutTests),
  );
  return {
    key: cacheKeyOf(question, { ...context, zone: zoneOf(context) }, found),
    compute: (events, signal) => answerExperiment(events, question, { ...context, ...(signal ? { signal } : {}) }),
  };
}

const MINUTE = 60_000;
/** Queries whose relative dates resolve to another instant every minute. All other relative dates change on the hour at most. */
const TIME_SENSITIVE =
  /"[-+]?\d+[hM]"|"\s*[nN][oO][wW]\s*"|"explicitDate":true|"is_date_|"behavior":|"isAggregate":|"kind":"(EventsQuery|ActorsQuery|HogQLQuery)"/;

function cacheKeyOf(
  query: Query | ExperimentQuestion,
  { projectId, zone, now }: QueryContext & { zone: Zone },
  { weekStart, testAccounts, cohorts, actions }: QueryMetadata,
): string {
  const text = JSON.stringify([projectId, zone.name, query, weekStart, testAccounts, [...cohorts], [...actions]]);
  const step = TIME_SENSITIVE.test(text) ? MINUTE : 60 * MINUTE;
  return createHash('sha256')
    .update(`${Math.floor(zone.toLocal(now) / step)} ${text}`)
    .digest('hex');
}

async function withFieldPath<T>(
  { filterTestAccounts }: { filterTestAccounts: boolean },
  filters: Record<string, Filter>,
  { db, projectId }: QueryContext,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!db || !(error instanceof ApiError) || error.body.attr !== null) throw error;
    for (const [path, filter] of Object.entries(filters)) {
      const isAtFault = await findReferences(db, projectId, [filter]).then(isNever, isRefusal);
      // a series names its action in `id`, beside its filters
      const field = error instanceof UnknownAction ? path.replace(/__properties$/, '__id') : path;
      if (isAtFault) throw new ApiError(error.code, error.body.detail, `query__${field}`);
    }
    // no filter fails alone: the test account filters do, or all filters together exceed a limit
    throw new ApiError(error.code, error.body.detail, filterTestAccounts ? 'query__filterTestAccounts' : 'query');
  }
}

const isNever = () => false;
const isRefusal = (error: unknown): boolean => error instanceof ApiError;
