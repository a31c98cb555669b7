export { actionStepSchema, UnknownAction } from './action.js';
export { spanOf } from './buckets.js';
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
export { dateParameter } from './date-parameter.js';
export { type Moment, resolveDate, shift, startOf } from './dates.js';
export {
  baselineOf,
  comparedVariants,
  EXPERIMENT_STATUSES,
  type ExperimentStatus,
  readExperimentData,
  readVariants,
  statusOf,
  type Variant,
  variantsOf,
} from './kinds/experiment/experiment-data.js';
export { type ExperimentResults, experimentResults } from './kinds/experiment/experiment-results.js';
export { exposureSchema, metricField, PRESENTATION } from './kinds/experiment/experiment-schema.js';
export { DEFAULT_EFFECT, estimateRunningTime } from './kinds/experiment/running-time.js';
export { lastIntervals } from './last-intervals.js';
export { measureReads, type OpenReads } from './measure-reads.js';
export {
  countCohortPeople,
  countGroups,
  countPeople,
  findPeople,
  findRelated,
  type MatchCounts,
  type RelatedSubject,
  searchPeople,
} from './people.js';
export { type Query, querySchema } from './query.js';
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
export { mayShowProfiles, type ShownProfiles, shownProfiles } from './shown-profiles.js';
export type { ProfileOwner } from './sql/fragment.js';
export type { ComputationFigures } from './statements.js';
export { type QuerySettings, readQuerySettings, readTimezone } from './store.js';
export { createZone } from './zone.js';
