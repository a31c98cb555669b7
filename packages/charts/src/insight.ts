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
}

export interface Step {
  name: string;
  customName: string | null;
  count: number;
  /** Seconds; null: nobody came this far. */
  averageTime: number | null;
  medianTime: number | null;
}

export interface Edge {
  source: string;
  target: string;
  value: number;
  /** Milliseconds. */
  averageTime: number | null;
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
      /** What else there is to tell, in a line. */
      note?: string;
    }
  | { kind: 'funnel'; groups: { breakdown: string | null; steps: Step[] }[] }
  | { kind: 'retention'; cohorts: { label: string; date: string | null; values: number[] }[] }
  | { kind: 'paths'; edges: Edge[] }
  | { kind: 'rows'; columns: string[]; rows: unknown[][] }
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
