import type { Expression } from './kinds/sql/expression.js';
import type { PropertyOwner } from './sql/property.js';

/** A property, or an expression of SQL, by whose values events are told apart. */
export type PropertyBreakdown = ({ owner: PropertyOwner; key: string } | { expression: Expression }) & BreakdownOptions;

/** How values become those of a breakdown. */
export interface BreakdownOptions {
  /** Ranges of equal size into which numbers are cut; null: each value for itself. */
  bins: number | null;
  /** Addresses count as one whether they end in `/`, `?` or `#` or not. */
  normalizeUrl: boolean;
}

/** By what events are told apart; what is beyond the `limit` most frequent becomes "other". */
export interface Breakdown {
  by: { type: 'properties'; properties: PropertyBreakdown[] } | { type: 'cohorts'; cohorts: (number | 'all')[] };
  /** Whether it was asked for as a list: its values then come as lists too. */
  isList: boolean;
  limit: number;
  /** Whether the request said the limit. */
  hasOwnLimit: boolean;
  hideOther: boolean;
}

/** How many values are shown at most, beside "other": cohorts all are, as they were asked for by name. */
export const shownValues = ({ by, limit }: Breakdown): number => (by.type === 'cohorts' ? by.cohorts.length : limit);

/** The value of events that have none, and of all those beyond the limit, as clients know them. */
export const BREAKDOWN_NULL = '$$_posthog_breakdown_null_$$';
export const BREAKDOWN_OTHER = '$$_posthog_breakdown_other_$$';
