import type { FilterGroup } from '../../filter.js';

/** What is made of a person's events: their number, whether there is any, or something of a number in them. */
export const MATHS = ['total', 'dau', 'sum', 'avg', 'min', 'max'] as const;
export type MetricMath = (typeof MATHS)[number];

/** Events that a metric looks at. */
export interface MetricEvents {
  /** Null: all. */
  event: string | null;
  properties: FilterGroup;
  math: MetricMath;
  /** The property with the number, for all but `total` and `dau`. */
  property: string | null;
}

/** One number for each person who was exposed, or two whose sums are divided. */
export type Metric = {
  name: string | null;
  goal: 'increase' | 'decrease';
  /** Milliseconds after a person's exposure within which events count; null: until the end of the experiment. */
  window: number | null;
} & (
  | { type: 'mean'; source: MetricEvents }
  /** Whether the person's events hold the steps in this order. */
  | { type: 'funnel'; steps: MetricEvents[] }
  | { type: 'ratio'; numerator: MetricEvents; denominator: MetricEvents }
);

/** Who took part, and when: persons by their first exposure within `[from, to)`. */
export interface Exposure {
  flagKey: string;
  variants: readonly string[];
  /** Epoch milliseconds. */
  from: number;
  to: number;
  /** The event that exposes, with the variant in `$feature/<flag>`; null: `$feature_flag_called`. */
  event: string | null;
  /** The action whose events expose instead; `properties` has it as the first of its conditions. */
  action?: number;
  properties: FilterGroup;
  /** Leaves out events that the project's filters tell to be of tests, also from the metrics. */
  filterTestAccounts: boolean;
  /** What becomes of persons who met several variants: they stay with the first one, or are left out. */
  several: 'exclude' | 'first_seen';
}

/** The people of one variant in sums, from which means, variances and covariances follow. */
export interface MetricSums {
  /** Persons exposed. */
  exposures: number;
  /** Of them, those with any of the events; in a funnel those who took all steps. */
  samples: number;
  /** Of x, the number of a person: of x and x². Of a funnel x is 1 or 0. */
  sum: number;
  squares: number;
  /** Of the denominator of a ratio, y: of y, y² and x y. */
  otherSum: number;
  otherSquares: number;
  products: number;
  /** Of a funnel, how many took each step, in order; else empty. */
  steps: number[];
}

/** Who was exposed. */
export interface Exposures {
  /** By variant. */
  totals: Map<string, number>;
  /** By variant: those exposed in the last days before the end (see `recentFrom`). */
  recent: Map<string, number>;
  /** Persons who met several variants and are in none of the others. */
  several: number;
  /** By variant: new persons a day, in the time zone asked for. */
  days: Map<string, Map<string, number>>;
}
