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
 * Which of those in a funnel. `step` (from 1): those who took it; below 0: those who did not, but the one before. `exactly`: those
 * whose last step has one of these numbers. `day`: of conversion over time those who began in an interval and converted, or did not.
 */
export type FunnelReach = { step: number } | { exactly: number[] } | { day: string; droppedOff: boolean };

/** One point of an insight. Intervals are named as its answer names them (`2024-01-31`). */
export type ActorsSource =
  | {
      of: 'trends';
      query: TrendsQuery;
      series: number;
      /** Null: the whole time. */
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
  /** Numbers of the row, and of the column in it (null: everybody in the row), from 0. */
  | { of: 'retention'; query: RetentionQuery; row: number; later: number | null; breakdown: string[] | null }
  | { of: 'stickiness'; query: StickinessQuery; series: number; intervals: number; previous: boolean }
  | { of: 'lifecycle'; query: LifecycleQuery; day: string; status: LifecycleStatus }
  | { of: 'paths'; query: PathsQuery };

/** What can be asked of each of them. */
export const ACTOR_FIELDS = ['actor', 'id', 'created_at', 'is_identified', 'event_count', 'appearances'] as const;
export type ActorField = (typeof ACTOR_FIELDS)[number];

/** Of retention: whether people are in a column of their row, numbered from 0. */
export interface AppearanceColumn {
  name: string;
  period: Interval;
  at: number;
}

/** A column, under the name by which it was asked for; `actor` is the whole person or group. */
export type ActorColumn = ({ name: string } & ({ field: ActorField } | { key: string })) | AppearanceColumn;

/** Whether a column says in which periods people came, which only points of retention do. */
export const isOfRetention = (column: ActorColumn): boolean =>
  'period' in column || ('field' in column && column.field === 'appearances');

/** Lists persons or groups: all persons, or those behind a point of an insight. */
export interface ActorsQuery {
  kind: 'ActorsQuery';
  source: ActorsSource | null;
  select: (ActorColumn | Expression)[];
  /** Conditions, all of which must hold; of all persons alone, as all expressions are. */
  where: Expression[];
  search: string;
  properties: FilterGroup;
  /** Null: newest first, and groups with the highest number first; only of a list with expressions. */
  orderBy: { column: ActorColumn | Expression; descending: boolean }[] | null;
  limit: number;
  offset: number;
  filterTestAccounts: boolean;
}

/** Whose properties those of the actors are. */
export type ActorOwner = Exclude<Owner, { type: 'event' }>;

/** Sessions and values have no properties: nothing but their ids and numbers can be asked of them. */
export type ListedActor = ActorOwner | { type: 'session' | 'value' };
