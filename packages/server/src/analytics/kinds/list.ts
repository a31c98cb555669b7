import type { Filter } from '../filter.js';
import type { Query } from '../query.js';
import { ACTORS, type ActorsResult } from './actors/actors.js';
import { actorsSchema } from './actors/actors-schema.js';
import { EVENTS, type EventsResult } from './events.js';
import { eventsSchema } from './events-schema.js';
import { FUNNELS, type FunnelsResult } from './funnels/funnels.js';
import { funnelsSchema } from './funnels/funnels-schema.js';
import type { Execute, Kind, KindContext } from './kind.js';
import { LIFECYCLE, type LifecycleResult } from './lifecycle/lifecycle.js';
import { lifecycleSchema } from './lifecycle/lifecycle-schema.js';
import { PATHS, type PathsResult } from './paths/paths.js';
import { pathsSchema } from './paths/paths-schema.js';
import { RETENTION, type RetentionResult } from './retention/retention.js';
import { retentionSchema } from './retention/retention-schema.js';
import { SQL, type SqlResult } from './sql/sql.js';
import { sqlSchema } from './sql/sql-schema.js';
import { STICKINESS, type StickinessResult } from './stickiness/stickiness.js';
import { stickinessSchema } from './stickiness/stickiness-schema.js';
import { TRENDS, type TrendsResult } from './trends/trends.js';
import { trendsSchema } from './trends/trends-schema.js';

/** The schemas of all query kinds. */
export const SCHEMAS = [
  actorsSchema,
  eventsSchema,
  trendsSchema,
  funnelsSchema,
  lifecycleSchema,
  pathsSchema,
  retentionSchema,
  sqlSchema,
  stickinessSchema,
] as const;

/** The result of any query kind. */
export type QueryResult =
  | ActorsResult
  | EventsResult
  | TrendsResult
  | FunnelsResult
  | LifecycleResult
  | PathsResult
  | RetentionResult
  | SqlResult
  | StickinessResult;

/** A query bound to its implementation. */
export interface BoundQuery {
  filters: Record<string, Filter>;
  run(context: KindContext, execute: Execute): Promise<QueryResult>;
}

/** Binds a query to the implementation of its kind. */
export function bindKind(query: Query): BoundQuery {
  switch (query.kind) {
    case 'ActorsQuery':
      return bound(ACTORS, query);
    case 'EventsQuery':
      return bound(EVENTS, query);
    case 'HogQLQuery':
      return bound(SQL, query);
    case 'TrendsQuery':
      return bound(TRENDS, query);
    case 'FunnelsQuery':
      return bound(FUNNELS, query);
    case 'StickinessQuery':
      return bound(STICKINESS, query);
    case 'PathsQuery':
      return bound(PATHS, query);
    case 'RetentionQuery':
      return bound(RETENTION, query);
    case 'LifecycleQuery':
      return bound(LIFECYCLE, query);
  }
}

const bound = <Q, R extends QueryResult>(kind: Kind<Q, R>, query: Q): BoundQuery => ({
  filters: kind.filters(query),
  run: (context, execute) => kind.run(query, context, execute),
});
