import type { NumberStyle } from './text/number-style.js';

/** One series of a trend, of stickiness or of a lifecycle. */
export interface Series {
  /** Display name, with breakdown value and period. */
  label: string;
  name: string;
  customName: string | null;
  /** What it counts: `unique people`, `sum of amount`. */
  math?: string;
  /** Null: not broken down. */
  breakdown: string | null;
  /** Only in a lifecycle: new, returning, resurrecting, dormant. */
  status: string | null;
  /** Whether it shows the previous period, for comparison. */
  isPrevious: boolean;
  data: number[];
  /** Aggregate over the whole period. */
  total: number;
  /** Numbers over time beside a total. */
  sparkline?: Course;
  /** Of the first of several breakdown values that are shown as a single number: the numbers of all, which may be less than their sum. */
  whole?: { total: number; sparkline?: Course };
  /** A lower number is better, such as a load time. */
  isLessBetter?: boolean;
  /** Its values by a breakdown are parts of a whole. */
  isAdditive?: boolean;
  /** It counts events or people. */
  isCount?: boolean;
  /** Number format. */
  style?: NumberStyle;
  /** Index of its axis in `axes`; default 0. */
  axis?: number;
  /** Overrides the chart's `display` for this series. */
  shape?: 'line' | 'area' | 'bar';
  /** Overrides the color of the palette, `#rrggbb`. */
  color?: string;
  /** Place in the palette; default: its place among the series. */
  place?: number;
}

/** Numbers over time: when each begins, and its value. */
export interface Course {
  days: string[];
  data: number[];
  /** How many at the end are of periods that are not over. */
  unfinished?: number;
}

/** An axis of numbers. */
export interface Axis {
  isLogarithmic?: true;
  /** The axis spans the data instead of starting at 0. */
  isTight?: true;
}

/** A target value, drawn as a line across the chart. */
export interface Goal {
  /** Empty: the line has no label. */
  label: string;
  value: number;
  color: string | null;
  /** Whether the label stands at the beginning of the line. */
  isAtStart: boolean;
}

/** Something that happened at a time, marked by a letter. */
export interface Annotation {
  /** Index of its bucket. */
  place: number;
  text: string;
}

export interface Step {
  name: string;
  customName: string | null;
  /** Whether people may skip this step. */
  isOptional: boolean;
  count: number;
  /** Seconds; null: nobody reached this step. */
  averageTime: number | null;
  medianTime: number | null;
}

/** A retention cohort: how many people began in one period, and how many of them returned in each later period. */
export interface Cohort {
  label: string;
  date: string | null;
  /** Null: not broken down. */
  breakdown: string | null;
  values: number[];
  /** Its last value is of a period that is over, because later ones are not part of the result. */
  isOver?: true;
}

export interface Edge {
  source: string;
  target: string;
  value: number;
  /** Milliseconds. */
  averageTime: number | null;
}

/** Display options of a table. Columns that are not listed are hidden. */
export interface TableOptions {
  columns: ShownColumn[];
  /** Whether a row of sums follows the rows. */
  hasTotals: boolean;
  /** Whether the table is transposed. */
  isTransposed: boolean;
}

export interface ShownColumn {
  /** Index of the column in the result. */
  index: number;
  label: string;
  style?: NumberStyle;
  /** Colors of its cells; the first matching rule wins. */
  rules: ColorRule[];
}

/** Colors a cell whose value passes the test. */
export interface ColorRule {
  test: string;
  input: string;
  color: string;
}

/** How series are drawn. */
export type Display = 'line' | 'area' | 'bar' | 'stacked' | 'total-bar' | 'pie' | 'number' | 'table' | 'map';

/** A query result in a form that charts and tables share. */
export type Insight =
  | {
      kind: 'series';
      display: Display;
      labels: string[];
      days: string[];
      /** When the buckets of the period before begin, with which this one is compared. */
      daysBefore?: string[];
      series: Series[];
      /** Length of a bucket, if they are times: `day`, `week`. */
      interval?: string;
      /** The property whose values the series are, in words: `Country`; absent: they are events, or values of several properties. */
      by?: string;
      /** What the labels mean; absent: dates. */
      over?: string;
      /** Numbers are percent. */
      isPercent?: true;
      /** The labels are names without an order, not times or steps. */
      isCategorical?: boolean;
      /** Stacked to 100 %: each number is shown as its share of the stack. */
      isShare?: true;
      /** Whether each point or bar has its number beside it. */
      hasValues?: true;
      /** From left to right; default: one linear axis from 0. */
      axes?: Axis[];
      goals?: Goal[];
      /** A further line of text above the chart. */
      note?: string;
      /** How many buckets at the end were not over when the numbers were computed. */
      unfinished?: number;
      /** How many buckets at the end had not begun: they have no numbers yet, which the query writes as 0. */
      upcoming?: number;
      annotations?: Annotation[];
    }
  /** `unit`: what its numbers count; default people. */
  | { kind: 'funnel'; groups: { breakdown: string | null; steps: Step[] }[]; unit?: string }
  | {
      kind: 'retention';
      cohorts: Cohort[];
      /** Length of a period: `day`, `week`. */
      period?: string;
      /** How many periods each column after the first takes; absent: one. */
      brackets?: number[];
      /** The last known period of each cohort is not over. */
      isLastUnfinished?: boolean;
    }
  /** `isCut`: the query left out rare edges. */
  | { kind: 'paths'; edges: Edge[]; isCut?: boolean }
  | { kind: 'rows'; columns: string[]; rows: unknown[][]; tableOptions?: TableOptions }
  | Comparison
  | { kind: 'nothing' };

/** The variants of an experiment: by one metric, the baseline first, or by several, without the baseline. */
export interface Comparison {
  kind: 'comparison';
  variants: Variant[];
  /** Of the intervals: 0.95. */
  level: number;
  /** Of its only metric. */
  isLessBetter?: boolean;
  /** Why the numbers may mislead: a fact, and what follows from it. */
  warning?: { fact: string; cause: string };
  /** Why there are no variants; default: nobody has seen one. */
  absence?: string;
}

export interface VariantDetail {
  label: string;
  text: string;
  /** The number of the text, for spreadsheets; 0.1 is 10 %. */
  value?: number;
  /** Whether it tells how likely the variant is better: it has the color of the change. */
  isVerdict?: true;
}

export interface Variant {
  name: string;
  /** Where several are in one picture. */
  metric?: { name: string; isLessBetter: boolean };
  /** Texts in columns beside the name, such as the number of people; the same columns for each variant. */
  details: VariantDetail[];
  /** Change against the baseline with its interval; 0.1 is 10 %. Null: the baseline, or it is unknown. */
  change: { value: number; low: number; high: number } | null;
  /** Why the change is unknown. */
  unknown?: string;
}

/** Whether the insight has no data. */
export function isEmpty(insight: Insight): boolean {
  switch (insight.kind) {
    case 'series':
      return insight.series.length === 0 || isNothing(insight);
    case 'funnel':
      return insight.groups.every(({ steps: [first] }) => !first || Math.round(first.count) === 0);
    case 'retention':
      return insight.cohorts.every(({ values }) => values.every((value) => Math.round(value) === 0));
    case 'paths':
      return insight.edges.every(({ value }) => Math.round(value) === 0);
    case 'rows':
      return insight.rows.length === 0;
    case 'comparison':
      return insight.variants.length === 0;
    case 'nothing':
      return true;
  }
}

/**
 * Whether nothing was counted, neither now nor in the period before: a line along zero would look like a result. A single number is one, and so
 * is a line below a goal; sums, means and formulas may be zero although something happened.
 */
function isNothing({ display, series, goals = [] }: Extract<Insight, { kind: 'series' }>): boolean {
  if (display === 'number' || goals.length > 0) return false;
  return series.every(
    ({ isCount = false, status, data, total }) =>
      (isCount || status !== null) && total === 0 && data.every((value) => value === 0),
  );
}
