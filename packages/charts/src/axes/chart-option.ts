import type { Insight } from '../insight.js';
import type { Mark } from '../kinds/marks.js';
import { type Measure, roughly } from '../text/measure.js';
import { type ChartTheme, FONT, THEMES, type Theme } from '../theme/theme.js';
import { seriesOption } from './series-option.js';

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

export const canvasOf = ({ width, height, theme = 'light', hasLegend = true, measure = roughly }: ChartSize): Canvas => ({
  width,
  height,
  theme: THEMES[theme],
  measure,
  hasLegend,
});

/**
 * Builds the ECharts options of a chart with axes: lines, areas and bars. Does not touch the platform.
 *
 * @example echarts.init(element).setOption(chartOption(readInsight(query, answer), { width: 600, height: 400 }))
 */
export const chartOption = (insight: Insight, size: ChartSize): ChartOption => drawChart(insight, size).option;

/** The ECharts options of a chart with axes, and invisible marks over it whose titles show its numbers. */
export function drawChart(insight: Insight, size: ChartSize): { option: ChartOption; titles: readonly Mark[] } {
  if (insight.kind !== 'series') throw new TypeError(`A chart of ${insight.kind} has no axes.`);
  const canvas = canvasOf(size);
  const { titles, ...drawing } = seriesOption(insight, canvas);
  const option = {
    animation: false,
    color: [...canvas.theme.palette],
    backgroundColor: 'transparent',
    textStyle: { fontFamily: FONT, color: canvas.theme.text },
    ...inOneFont(drawing),
  };
  return { option, titles };
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
