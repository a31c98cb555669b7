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
  /** Conditions in SQL, joined by AND. */
  where: Expression[];
  properties: FilterGroup;
  fixedProperties: FilterGroup;
  filterTestAccounts: boolean;
  event: string | null;
  /** The requested action as a filter. */
  action: FilterGroup;
  personId: string | null;
  distinctId: string | null;
  /** Null: newest first, and groups with the highest number first. */
  orderBy: { column: EventColumn | Expression; descending: boolean }[] | null;
  limit: number;
  offset: number;
  /** Exclusive bounds of the timestamp; null: unbounded. */
  after: string | null;
  before: string | null;
}

/** Which events an insight counts; part of every insight query. */
export interface InsightScope {
  /** Dates as `spanOf` resolves them; `all`: from the first event on. */
  dateFrom: string | null;
  dateTo: string | null;
  /** Use the exact times of the dates instead of whole days. */
  explicitDate: boolean;
  properties: FilterGroup;
  filterTestAccounts: boolean;
  /** Share of persons whose events are counted, above 0; 1: all. */
  samplingFactor: number;
}

/** Events of one name (null: all) or of an action, as one line of a trend, one step of a funnel. */
export interface EventsNode {
  event: string | null;
  name: string | null;
  customName: string | null;
  math: SeriesMath;
  properties: FilterGroup;
  /** Number of the action. `properties` starts with the condition that the event matches it. */
  action?: number;
  /** Funnel step that a run may skip. */
  isOptional?: true;
}

/** Display options of trends that change the numbers. */
export interface TrendsFilter {
  /** Empty: the result has the series themselves. */
  formulas: Formula[];
  /** Running totals. */
  cumulative: boolean;
  /** One number for the whole range instead of one for each interval. */
  isTotal: boolean;
  /** Intervals of the moving average; 1: none. */
  smoothing: number;
}

/** Counts events over time. */
export interface TrendsQuery extends InsightScope {
  kind: 'TrendsQuery';
  series: EventsNode[];
  interval: Interval;
  breakdown: Breakdown | null;
  /** Comparison range: the range just before, or the same range shifted back (`-1m`); null: no comparison. */
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
