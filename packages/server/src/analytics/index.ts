export { actionStepSchema, UnknownAction } from './action.js';
export { createQueryRuns, type QueryRuns } from './cache/query-runs.js';
export {
  type CachedQueryResult,
  createQueryResults,
  type QueryResults,
  REFRESH_MODES,
  type RefreshMode,
  runCachedQuery,
} from './cache/run-cached-query.js';
export { behavioralCohorts, isBehavioral, readCohortFilter, UnknownCohort } from './cohorts.js';
export {
  countEventsByName,
  type EventValuesRequest,
  findEventValues,
  findPersonValues,
  hasReadableValues,
  type ValuesRequest,
} from './completion.js';
export { isDate, type Moment, resolveDate } from './dates.js';
export {
  type Exposure,
  type Exposures,
  exposureSchema,
  type Metric,
  type MetricSums,
  metricSchema,
} from './kinds/experiment/experiment-schema.js';
export { type ExperimentContext, runExposures, runMetric } from './kinds/experiment/run-experiment.js';
export { countGroups, countPeople, findPeople, findRelated, type MatchCounts, type RelatedSubject } from './people.js';
export { querySchema } from './query.js';
export {
  countRecentActivity,
  countRecentEvents,
  listRecentEvents,
  type RecentActivity,
  type RecentEvent,
  type RecentFilter,
  readEventFilters,
} from './recent.js';
export { findReferences } from './references.js';
export { runQuery } from './run.js';
export { type QuerySettings, readQuerySettings } from './store.js';
export { createZone } from './zone.js';
