import { z } from 'zod';
import { isObject } from '../kernel/json.js';
import { expressionsFault, refusal } from './fields.js';
import type { Filter } from './filter.js';
import { ACTORS } from './kinds/actors/actors.js';
import { actorsSchema } from './kinds/actors/actors-schema.js';
import { EVENTS } from './kinds/events/events.js';
import { eventsSchema } from './kinds/events/events-schema.js';
import { type ExperimentQuery, type ExperimentQueryResult, experimentQuerySchema } from './kinds/experiment/experiment-query.js';
import { FUNNELS, type FunnelsResult } from './kinds/funnels/funnels.js';
import { funnelsSchema } from './kinds/funnels/funnels-schema.js';
import type { Execute, Kind, KindContext, ListResult } from './kinds/kind.js';
import { LIFECYCLE, type LifecycleResult } from './kinds/lifecycle/lifecycle.js';
import { lifecycleSchema } from './kinds/lifecycle/lifecycle-schema.js';
import { PATHS, type PathsResult } from './kinds/paths/paths.js';
import { pathsSchema } from './kinds/paths/paths-schema.js';
import { RETENTION, type RetentionResult } from './kinds/retention/retention.js';
import { retentionSchema } from './kinds/retention/retention-schema.js';
import { SQL, type SqlResult } from './kinds/sql/sql.js';
import { sqlSchema } from './kinds/sql/sql-schema.js';
import { STICKINESS, type StickinessResult } from './kinds/stickiness/stickiness.js';
import { stickinessSchema } from './kinds/stickiness/stickiness-schema.js';
import { TRENDS, type TrendsResult } from './kinds/trends/trends.js';
import { trendsSchema } from './kinds/trends/trends-schema.js';

/** The schemas of all query kinds. */
export const SCHEMAS = [
  actorsSchema,
  eventsSchema,
  experimentQuerySchema,
  trendsSchema,
  funnelsSchema,
  lifecycleSchema,
  pathsSchema,
  retentionSchema,
  sqlSchema,
  stickinessSchema,
] as const;

const unknownKind = ({ input }: { input?: unknown }): string => {
  if (!isObject(input)) return 'Expected a query: an object with a kind.';
  return input.kind === undefined
    ? 'This field is required.'
    : `${JSON.stringify(input.kind).slice(0, 200)} is not a valid choice.`;
};

const bare = z.discriminatedUnion('kind', SCHEMAS, { error: unknownKind });

const wrapped = z.discriminatedUnion(
  'kind',
  [
    ...SCHEMAS,
    z
      .object({
        kind: z
          .enum(['InsightVizNode', 'DataTableNode', 'DataVisualizationNode'])
          .describe('How an insight shows the result; nothing is computed differently.'),
        source: bare.describe('The query itself.'),
      })
      .transform(({ source }) => source),
  ],
  { error: unknownKind },
);

/** A query, bare or wrapped in a node such as `InsightVizNode`. */
export const querySchema = z.preprocess((query, ctx) => {
  const fault = expressionsFault(query);
  if (fault === null) return query;
  ctx.addIssue(refusal(fault));
  return z.NEVER;
}, wrapped);

/** A validated query of any kind. */
export type Query = z.output<(typeof SCHEMAS)[number]>;

/** The result of any query kind. */
export type QueryResult =
  | ListResult
  | ExperimentQueryResult
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

/** Binds a query to the implementation of its kind. Those of experiments have their own (run.ts). */
export function bindKind(query: Exclude<Query, ExperimentQuery>): BoundQuery {
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
