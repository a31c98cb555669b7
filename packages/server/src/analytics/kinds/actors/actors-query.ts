import type { Interval } from '../../buckets.js';
import type { FilterGroup } from '../../filter.js';
import type { TrendsQuery } from '../../query.js';
import type { Owner } from '../../sql/property.js';
import type { FunnelsQuery } from '../funnels/funnels-query.js';
import type { LifecycleQuery, LifecycleStatus } from '../lifecycle/lifecycle-query.js';
import type { PathsQuery } from '../paths/paths-query.js';
import type { RetentionQuery } from '../retention/retention-query.js';
import type { Expression } from '../sql/expression.js';
import type { StickinessQuery } from '../stickiness/stickiness-query.js';

/**
 * Which actors of a funnel. `step` (from 1): took it; negative: took the step before, but not this one. `exactly`: the last step is one of
 * these. `day` (trends view): started in the interval and converted, or dropped off.
 */
export type FunnelReach = { step: number } | { exactly: number[] } | { day: string; droppedOff: boolean };

/** A data point of an insight. Intervals have the names of its result (`2024-01-31`). */
export type ActorsSource =
  | {
      of: 'trends';
      query: TrendsQuery;
      series: number;
      /** Null: the whole range. */
      day: string | null;
      breakdown: string[] | null;
      previous: boolean;
    }
  | {
      of: 'funnels';
      query: FunnelsQuery;
      reached: FunnelReach;
      breakdown: string[] | null;
    }
  /** Row and column (null: the whole row), from 0. */
  | { of: 'retention'; query: RetentionQuery; row: number; later: number | null; breakdown: string[] | null }
  | { of: 'stickiness'; query: StickinessQuery; series: number; intervals: number; previous: boolean }
  | { of: 'lifecycle'; query: LifecycleQuery; day: string; status: LifecycleStatus }
  | { of: 'paths'; query: PathsQuery };

/** Fields of an actor. */
export const ACTOR_FIELDS = ['actor', 'id', 'created_at', 'is_identified', 'event_count', 'appearances'] as const;
export type ActorField = (typeof ACTOR_FIELDS)[number];

/** Retention only: whether the actor is in a column (from 0) of their row. */
export interface AppearanceColumn {
  name: string;
  period: Interval;
  at: number;
}

/** A result column; `name` is the requested name, `actor` the whole person or group. */
export type ActorColumn = ({ name: string } & ({ field: ActorField } | { key: string })) | AppearanceColumn;

/** Whether a column exists for points of retention only. */
export const isOfRetention = (column: ActorColumn): boolean =>
  'period' in column || ('field' in column && column.field === 'appearances');

/** Lists persons or groups: all persons, or those behind a point of an insight. */
export interface ActorsQuery {
  kind: 'ActorsQuery';
  source: ActorsSource | null;
  select: (ActorColumn | Expression)[];
  /** Conditions in SQL, joined by AND. Like all SQL expressions, only for lists of all persons. */
  where: Expression[];
  search: string;
  properties: FilterGroup;
  /** Null, only with SQL expressions: newest first, groups with the highest number first. */
  orderBy: { column: ActorColumn | Expression; descending: boolean }[] | null;
  limit: number;
  offset: number;
  filterTestAccounts: boolean;
}

/** Actors with properties. */
export type ActorOwner = Exclude<Owner, { type: 'event' }>;

/** Actors of a list. Sessions and values have only an id and an event count. */
export type ListedActor = ActorOwner | { type: 'session' | 'value' };
