import type { Expression } from './kinds/sql/expression.js';
import type { PropertyOwner } from './sql/property.js';

/** A property or SQL expression that breaks a result down by its values. */
export type PropertyBreakdown = ({ owner: PropertyOwner; key: string } | { expression: Expression }) & BreakdownOptions;

/** How raw values become breakdown values. */
export interface BreakdownOptions {
  /** Number of histogram bins of equal width; null: no binning. */
  bins: number | null;
  /** Addresses count as one whether they end in `/`, `?` or `#` or not. */
  normalizeUrl: boolean;
}

/** Splits a result by values. Values beyond the `limit` most frequent are merged into "other". */
export interface Breakdown {
  by: { type: 'properties'; properties: PropertyBreakdown[] } | { type: 'cohorts'; cohorts: (number | 'all')[] };
  /** The request had a list of breakdowns: the result then has lists of values. */
  isList: boolean;
  limit: number;
  /** The request set the limit. */
  hasOwnLimit: boolean;
  hideOther: boolean;
}

/** Maximum number of values beside "other". Cohorts are always all shown. */
export const shownValues = ({ by, limit }: Breakdown): number => (by.type === 'cohorts' ? by.cohorts.length : limit);

/** Wire values for events without a value, and for all values beyond the limit. */
export const BREAKDOWN_NULL = '$$_posthog_breakdown_null_$$';
export const BREAKDOWN_OTHER = '$$_posthog_breakdown_other_$$';
