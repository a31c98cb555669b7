import type { NumberStyle } from './number-style.js';

/** One line of a trend, of stickiness or of a life cycle. */
export interface Series {
  /** What people call it, breakdown and period included. */
  label: string;
  name: string;
  customName: string | null;
  /** Null: not broken down. */
  breakdown: string | null;
  /** Of a life cycle: new, returning, resurrecting, dormant. */
  status: string | null;
  /** Whether it is of the time before, for comparison. */
  isPrevious: boolean;
  data: number[];
  /** One number for the whole time. */
  total: number;
  /** How its numbers are written. */
  style?: NumberStyle;
  /** Which of the axes it is drawn over; the first when left out. */
  axis?: number;
  /** How it is drawn when that is not as the others are. */
  shape?: 'line' | 'area' | 'bar';
  /** A color of its own. */
  color?: string;
}

/** An axis of numbers. */
export interface Axis {
  isLogarithmic?: true;
  /** It begins and ends where the numbers do. */
  isTight?: true;
}

/** A number that is aimed at, drawn as a line across. */
export interface Goal {
  /** Empty: the line has none. */
  label: string;
  value: number;
  color: string | null;
  /** Whether the label stands at the beginning of the line. */
  isAtStart: boolean;
}

export interface Step {
  name: string;
  customName: string | null;
  /** Whether it may be skipped. */
  isOptional: boolean;
  count: number;
  /** Seconds; null: nobody came this far. */
  averageTime: number | null;
  medianTime: number | null;
}

/** Those who began in one period, and how many of them came in each period after it. */
export interface Cohort {
  label: string;
  date: string | null;
  /** Null: not broken down. */
  breakdown: string | null;
  values: number[];
}

export interface Edge {
  source: string;
  target: string;
  value: number;
  /** Milliseconds. */
  averageTime: number | null;
}

/** How a table is shown; what is left out of its columns is not. */
export interface TableLook {
  columns: ShownColumn[];
  /** Below the rows stand the sums of their numbers. */
  hasTotals: boolean;
  /** Rows are shown as columns. */
  isTurned: boolean;
}

export interface ShownColumn {
  /** Place of the column in the table. */
  index: number;
  label: string;
  style?: NumberStyle;
  /** Colors of its cells; the first rule that holds counts. */
  rules: ColorRule[];
}

/** Colors a cell whose value passes a test. */
export interface ColorRule {
  test: string;
  input: string;
  color: string;
}

/** How series are drawn. */
export type Display = 'line' | 'area' | 'bar' | 'stacked' | 'total-bar' | 'pie' | 'number' | 'table';

/** A result as something to draw or to write as a table. */
export type Insight =
  | {
      kind: 'series';
      display: Display;
      labels: string[];
      days: string[];
      series: Series[];
      /** What the labels are; left out: dates. */
      over?: string;
      /** Numbers are percent. */
      isPercent?: true;
      /** Stacked: each number is shown as its share of all at its place. */
      isShare?: true;
      /** Each number stands beside its point or bar. */
      hasValues?: true;
      /** From left to right; one that begins at 0 when left out. */
      axes?: Axis[];
      goals?: Goal[];
      /** What else there is to tell, in a line. */
      note?: string;
    }
  | { kind: 'funnel'; groups: { breakdown: string | null; steps: Step[] }[] }
  | { kind: 'retention'; cohorts: Cohort[] }
  | { kind: 'paths'; edges: Edge[] }
  | { kind: 'rows'; columns: string[]; rows: unknown[][]; look?: TableLook }
  | { kind: 'nothing' };

/** Whether there is nothing in it. */
export function isEmpty(insight: Insight): boolean {
  switch (insight.kind) {
    case 'series':
      return insight.series.length === 0;
    case 'funnel':
      return insight.groups.every(({ steps }) => steps.length === 0);
    case 'retention':
      return insight.cohorts.length === 0;
    case 'paths':
      return insight.edges.length === 0;
    case 'rows':
      return insight.rows.length === 0;
    case 'nothing':
      return true;
  }
}
