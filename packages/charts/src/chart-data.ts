import type { Insight } from './insight.js';
import { written } from './text/number-style.js';
import { colorOf } from './theme/series-color.js';
import { THEMES } from './theme/theme.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** What the interactive layer reads of a chart over time; pages have it as JSON in an attribute. */
export interface ChartData {
  /** Times of the points: ISO dates, or labels where there are none. */
  times: string[];
  /** Points at the end that are not over. */
  unfinished: number;
  /** Whether points stand in the middle of bands, as bars do, not from edge to edge. */
  isBand: boolean;
  /** Whether series can be hidden on their own: those of a stack stand on each other. */
  canHide: boolean;
  series: { name: string; color: string; isPrevious: boolean; values: number[]; texts: string[] }[];
}

/** Points of all series at most: a page is for people, and larger charts have their table. */
const MAX_POINTS = 4_000;
const OVER_TIME: ReadonlySet<string> = new Set(['line', 'area', 'bar', 'stacked']);

/** The data of a chart over time; null: another kind, or too many points. */
export function chartData(insight: Insight): ChartData | null {
  if (insight.kind !== 'series' || !OVER_TIME.has(insight.display)) return null;
  const { labels, days, series, display, unfinished = 0, upcoming = 0 } = insight;
  if (labels.length === 0 || series.length === 0 || labels.length * series.length > MAX_POINTS) return null;
  return {
    times: days.length === labels.length && !insight.over ? days : labels,
    unfinished,
    isBand: labels.length === 1 || display === 'bar' || display === 'stacked' || series.some(({ shape }) => shape === 'bar'),
    canHide: display === 'line' || display === 'bar',
    series: series.map((one, i) => ({
      name: one.label,
      color: colorOf(insight, i, THEMES.page),
      isPrevious: one.isPrevious,
      values: one.data,
      // what has not begun has no number
      texts: one.data
        .slice(0, one.data.length - (one.isPrevious ? 0 : upcoming))
        .map((value) => written(value, styleOf(insight, i))),
    })),
  };
}

const styleOf = (insight: SeriesInsight, i: number) =>
  insight.isPercent ? { unit: 'percent' as const } : insight.series[i]?.style;
