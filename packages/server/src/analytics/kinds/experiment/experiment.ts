import type { FilterGroup } from '../../filter.js';

/** The value of a person's events: their number, whether there is any, or a statistic of a property. */
export const MATHS = ['total', 'dau', 'sum', 'avg', 'min', 'max'] as const;
export type MetricMath = (typeof MATHS)[number];

/** Events of a metric. */
export interface MetricEvents {
  /** Null: all. */
  event: string | null;
  properties: FilterGroup;
  math: MetricMath;
  /** The property with the number, for all but `total` and `dau`. */
  property: string | null;
}

/** A metric: one value for each exposed person or, for a ratio, two whose sums are divided. */
export type Metric = {
  name: string | null;
  goal: 'increase' | 'decrease';
  /** Milliseconds after a person's exposure within which events count; null: until the end of the experiment. */
  window: number | null;
} & (
  | { type: 'mean'; source: MetricEvents }
  /** The person performed the steps in this order. */
  | { type: 'funnel'; steps: MetricEvents[] }
  | { type: 'ratio'; numerator: MetricEvents; denominator: MetricEvents }
);

/** Which persons are exposed: by their first exposure within `[from, to)`. */
export interface Exposure {
  flagKey: string;
  variants: readonly string[];
  /** Epoch milliseconds. */
  from: number;
  to: number;
  /** Name of the exposure event, which has the variant in `$feature/<flag>`; null: `$feature_flag_called`. */
  event: string | null;
  /** Action of the exposure events instead; `properties` starts with its condition. */
  action?: number;
  properties: FilterGroup;
  /** Excludes test accounts, also from the metrics. */
  filterTestAccounts: boolean;
  /** Persons with several variants are excluded, or counted for the first one. */
  several: 'exclude' | 'first_seen';
}

/** Sums over the people of one variant, from which means, variances and covariances follow. */
export interface MetricSums {
  /** Persons exposed. */
  exposures: number;
  /** Exposed persons with any of the events; for a funnel, with all steps. */
  samples: number;
  /** Σx and Σx² over the value x of each person; for a funnel x is 1 or 0. */
  sum: number;
  squares: number;
  /** Ratio only, with y the denominator: Σy, Σy² and Σxy. */
  otherSum: number;
  otherSquares: number;
  products: number;
  /** Funnel only: persons per step, in order; else empty. */
  steps: number[];
}

/** Numbers of exposed persons. */
export interface Exposures {
  /** By variant. */
  totals: Map<string, number>;
  /** By variant: exposed since `recentFrom`. */
  recent: Map<string, number>;
  /** Persons with several variants, who are in none of the other numbers. */
  several: number;
  /** By variant: new persons per day in the requested time zone. */
  days: Map<string, Map<string, number>>;
}
