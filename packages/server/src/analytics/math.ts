import type { Expression } from './kinds/sql/expression.js';
import type { PropertyOwner } from './sql/property.js';

/** What can be made of a number in each event, or of how many events each actor has. */
export const STATISTICS = ['sum', 'avg', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'] as const;
export type Statistic = (typeof STATISTICS)[number];

/** What queries call the length of a session, among the properties with numbers. */
export const SESSION_DURATION = '$session_duration';

/** Whose events are counted together: persons, or groups of a type. */
export type MathActor = { type: 'person' } | { type: 'group'; index: number };

/** What is counted of the events of a series. */
export type SeriesMath =
  | { kind: 'total' }
  /** Different persons, groups, sessions. */
  | { kind: 'dau' }
  | { kind: 'unique_session' }
  | { kind: 'unique_group'; index: number }
  /** Different persons in the 7 or 30 days that end with each interval. */
  | { kind: 'weekly_active' }
  | { kind: 'monthly_active' }
  /** Persons who did it for the first time ever. */
  | { kind: 'first_time_for_user' }
  /** As that, of the events that the filters let through. */
  | { kind: 'first_matching_event_for_user' }
  /** What an expression of SQL makes of the events. */
  | { kind: 'hogql'; expression: Expression }
  /** Something of how long sessions are, each of them once. */
  | { kind: 'session_duration'; statistic: Statistic }
  | { kind: Statistic; property: { owner: PropertyOwner; key: string } }
  | { kind: 'count_per_actor'; statistic: Exclude<Statistic, 'sum'>; actor: MathActor };
