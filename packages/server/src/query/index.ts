export { findCohorts, readCohortFilter } from './cohorts.js';
export { isDate, resolveDate } from './dates.js';
export type { EventsResult } from './kinds/events.js';
export type { TrendsResult, TrendsSeries } from './kinds/trends.js';
export { type Counted, countGroups, countPeople, findPeople } from './people.js';
export type { EventsQuery, Query, TrendsQuery } from './query.js';
export { querySchema } from './query-schema.js';
export { findRelated, type RelatedTo } from './related.js';
export { type Asker, runQuery } from './run.js';
