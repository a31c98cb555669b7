import type { Expression } from './kinds/sql/expression.js';
import type { PropertyOwner } from './sql/property.js';

/** Statistics of a numeric property, or of the number of events of each actor. */
export const STATISTICS = ['sum', 'avg', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'] as const;
export type Statistic = (typeof STATISTICS)[number];

/** The pseudo-property for the duration of a session, in seconds. */
export const SESSION_DURATION = '$session_duration';

/** Whose events are counted together: persons, or groups of a type. */
export type MathActor = { type: 'person' } | { type: 'group'; index: number };

/** What a series counts. */
export type SeriesMath =
  | { kind: 'total' }
  /** Unique persons, sessions, groups. */
  | { kind: 'dau' }
  | { kind: 'unique_session' }
  | { kind: 'unique_group'; index: number }
  /** Unique persons in the 7 or 30 days that end with each interval. */
  | { kind: 'weekly_active' }
  | { kind: 'monthly_active' }
  /** Persons by the first event of that name they ever had. */
  | { kind: 'first_time_for_user' }
  /** Persons by their first event that matches the filters. */
  | { kind: 'first_matching_event_for_user' }
  /** An aggregate written in SQL. */
  | { kind: 'hogql'; expression: Expression }
  /** A statistic of session durations; each session counts once. */
  | { kind: 'session_duration'; statistic: Statistic }
  | { kind: Statistic; property: { owner: PropertyOwner; key: string } }
  | { kind: 'count_per_actor'; statistic: Exclude<Statistic, 'sum'>; actor: MathActor };

/** The wire name of a math. */
export function mathName(math: SeriesMath): string {
  if (math.kind === 'session_duration') return math.statistic;
  return math.kind === 'count_per_actor' ? `${math.statistic}_count_per_actor` : math.kind;
}
