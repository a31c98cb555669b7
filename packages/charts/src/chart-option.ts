import { funnelOption } from './funnel-option.js';
import { type Insight, isEmpty } from './insight.js';
import { type Measure, roughly } from './measure.js';
import { numberOption } from './number-option.js';
import { pathsOption } from './paths-option.js';
import { pieOption } from './pie-option.js';
import { retentionOption } from './retention-option.js';
import { seriesOption } from './series-option.js';
import { shownTable } from './shown-table.js';
import { rowsWithin, tableOption } from './table-option.js';
import { type ChartTheme, FONT, THEMES, type Theme } from './theme.js';
import { totalsOption } from './totals-option.js';

export interface ChartSize {
  /** Pixels. */
  width: number;
  height: number;
  theme?: ChartTheme;
  /** Default true. */
  hasLegend?: boolean;
  /** Measures text in the font of the picture; default: a cautious estimate. */
  measure?: Measure;
}

/** What every chart builder receives. */
export interface Canvas {
  width: number;
  height: number;
  theme: Theme;
  measure: Measure;
  hasLegend: boolean;
}

/** The argument of ECharts' `setOption`. */
export type ChartOption = Record<string, unknown>;

/**
 * Builds the ECharts options of an insight. Does not touch the platform.
 *
 * @example echarts.init(element).setOption(chartOption(readInsight(query, answer), { width: 600, height: 400 }))
 */
export function chartOption(insight: Insight, size: ChartSize): ChartOption {
  const { width, height, theme = 'light', hasLegend = true, measure = roughly } = size;
  const canvas: Canvas = { width, height, theme: THEMES[theme], measure, hasLegend };
  return {
    animation: false,
    color: [...canvas.theme.palette],
    backgroundColor: 'transparent',
    textStyle: { fontFamily: FONT, color: canvas.theme.text },
    ...inOneFont(isEmpty(insight) ? noData(canvas) : drawn(insight, canvas)),
  };
}

/** ECharts does not apply the chart's font to graphic texts, so it is set on each. */
function inOneFont(option: ChartOption): ChartOption {
  const { graphic } = option;
  if (!Array.isArray(graphic)) return option;
  return {
    ...option,
    graphic: graphic.map((one) => (one.type === 'text' ? { ...one, style: { fontFamily: FONT, ...one.style } } : one)),
  };
}

function drawn(insight: Insight, canvas: Canvas): ChartOption {
  switch (insight.kind) {
    case 'series':
      if (insight.display === 'number') return numberOption(insight, canvas);
      if (insight.display === 'pie' && insight.series.some(({ total }) => total > 0)) return pieOption(insight, canvas);
      // a pie cannot show zero or negative shares
      if (insight.display === 'pie' || insight.display === 'total-bar') return totalsOption(insight, canvas);
      if (insight.display === 'table') return tableOption(shownTable(insight, rowsWithin(canvas.height)), canvas);
      return seriesOption(insight, canvas);
    case 'funnel':
      return funnelOption(insight, canvas);
    case 'retention':
      return retentionOption(insight, canvas);
    case 'paths':
      return pathsOption(insight, canvas);
    case 'rows':
    case 'nothing':
      return tableOption(shownTable(insight, rowsWithin(canvas.height)), canvas);
  }
}

const noData = ({ width, height, theme }: Canvas): ChartOption => ({
  graphic: [
    {
      type: 'text',
      x: width / 2,
      y: height / 2,
      style: { text: 'No data', fill: theme.muted, fontSize: 16, align: 'center', verticalAlign: 'middle' },
    },
  ],
});
