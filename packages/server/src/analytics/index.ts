export { actionStepSchema, UnknownAction } from './action.js';
export { behavioralCohorts, isBehavioral } from './behavioral-cohorts.js';
export { createQueryRuns, type QueryRuns } from './cache/query-runs.js';
export type { QueryStatus } from './cache/query-status.js';
export {
  type CachedQueryOptions,
  type CachedQueryResult,
  createQueryResults,
  type QueryResults,
  REFRESH_MODES,
  type RefreshMode,
  runCachedQuery,
} from './cache/run-cached-query.js';
export { type QuerySettings, readQuerySettings } from './cohort-store.js';
export { readCohortFilter, UnknownCohort } from './cohorts.js';
export type { QueryContext } from './context.js';
export { isDate, resolveDate } from './dates.js';
export type { EventsResult } from './kinds/events.js';
export type { Exposure, Exposures, Metric, MetricSums } from './kinds/experiment/experiment.js';
export { exposureSchema, metricSchema } from './kinds/experiment/experiment-schema.js';
export { type ExperimentContext, runExposures, runMetric } from './kinds/experiment/run.js';
export type { QueryResult } from './kinds/list.js';
export type { TrendsSeries } from './kinds/trends/line.js';
export type { TrendsResult } from './kinds/trends/trends.js';
export { countGroups, countPeople, findPeople, type MatchCounts } from './people.js';
export type { EventsQuery, Query, TrendsQuery } from './query.js';
export { querySchema } from './query-schema.js';
export { findReferences } from './references.js';
export { findRelated, type RelatedSubject } from './related.js';
export { runQuery } from './run.js';
export { toLocal } from './zone.js';
