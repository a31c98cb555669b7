import type { Breakdown } from './breakdown.js';
import type { Interval } from './buckets.js';
import type { FilterGroup } from './filter.js';
import type { ActorsQuery } from './kinds/actors/actors-query.js';
import type { EventColumn } from './kinds/event-columns.js';
import type { FunnelsQuery } from './kinds/funnels/funnels-query.js';
import type { LifecycleQuery } from './kinds/lifecycle/lifecycle-query.js';
import type { PathsQuery } from './kinds/paths/paths-query.js';
import type { RetentionQuery } from './kinds/retention/retention-query.js';
import type { Expression } from './kinds/sql/expression.js';
import type { HogQLQuery } from './kinds/sql/sql-query.js';
import type { StickinessQuery } from './kinds/stickiness/stickiness-query.js';
import type { Formula } from './kinds/trends/formula.js';
import type { SeriesMath } from './math.js';

/** Lists events. */
export interface EventsQuery {
  kind: 'EventsQuery';
  select: (EventColumn | Expression)[];
  /** Conditions, all of which must hold. */
  where: Expression[];
  properties: FilterGroup;
  fixedProperties: FilterGroup;
  filterTestAccounts: boolean;
  event: string | null;
  /** That an event matches the action that is asked for. */
  action: FilterGroup;
  personId: string | null;
  distinctId: string | null;
  /** Null: newest first, and groups with the highest number first. */
  orderBy: { column: EventColumn | Expression; descending: boolean }[] | null;
  limit: number;
  offset: number;
  /** Only later (earlier) than; null: no bound. */
  after: string | null;
  before: string | null;
}

/** What every insight says of the events that it is about. */
export interface InsightScope {
  /** As `spanOf` reads them. */
  dateFrom: string | null;
  dateTo: string | null;
  /** Dates stand for the instants that they say and not for whole days. */
  explicitDate: boolean;
  properties: FilterGroup;
  filterTestAccounts: boolean;
  /** Share of the persons whose events are looked at, above 0; 1: all. */
  samplingFactor: number;
}

/** Events of one name (null: all) or of an action, as one line of a trend, one step of a funnel. */
export interface EventsNode {
  event: string | null;
  name: string | null;
  customName: string | null;
  math: SeriesMath;
  properties: FilterGroup;
  /** The action whose events these are; `properties` has it as the first of its conditions. */
  action?: number;
  /** Of the step of a funnel: who skips it may go on. */
  isOptional?: true;
}

/** How the numbers of a trend are shown; what of it changes the numbers. */
export interface TrendsFilter {
  /** Empty: the series are shown themselves. */
  formulas: Formula[];
  /** Each number is the sum of all until then. */
  cumulative: boolean;
  /** One number for the whole time instead of one for every interval. */
  isTotal: boolean;
  /** Intervals over which each number is averaged; 1: none. */
  smoothing: number;
}

/** Counts events over time. */
export interface TrendsQuery extends InsightScope {
  kind: 'TrendsQuery';
  series: EventsNode[];
  interval: Interval;
  breakdown: Breakdown | null;
  /** The time before, of the same length or as far back as said (`-1m`); null: none. */
  compare: 'previous' | { back: string } | null;
  trends: TrendsFilter;
}

export type Query =
  | ActorsQuery
  | EventsQuery
  | TrendsQuery
  | FunnelsQuery
  | HogQLQuery
  | LifecycleQuery
  | PathsQuery
  | RetentionQuery
  | StickinessQuery;
