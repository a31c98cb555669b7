import type { ChartData } from '../chart-data.js';
import { chartTip } from './chart-tip.js';
import { markTips } from './mark-tips.js';
import { seriesSwitches } from './series-switches.js';

export interface InteractiveOptions {
  /** Ends it: what was added to the chart is removed. */
  signal?: AbortSignal;
  /** A click on a point of a chart over time, or Enter: the index of its time, and of the series below the pointer; null: none is. */
  onPoint?: (index: number, series: number | null) => void;
  /** A click on a part of another chart, or Enter: what it stands for (`PointName`). */
  onMark?: (point: string) => void;
}

/**
 * Makes a drawn chart answer to pointer, keys and touch: a crosshair with the numbers of a point and series that can be hidden, or a tip for
 * each mark. `chart` holds the SVG and is positioned. Its styles: `.tip`, `.switches`.
 * @param data of a chart over time (`chartData`); null: another kind
 */
export function makeInteractive(chart: HTMLElement, data: ChartData | null, options: InteractiveOptions = {}): void {
  // names that do not fit below a plot are drawn as a ranking
  const hasPlots = [...chart.querySelectorAll('svg')].every((svg) => svg.querySelector('[data-plot]'));
  if (!data || !hasPlots) {
    markTips(chart, options);
    return;
  }
  const hidden = new Set<number>();
  chartTip(chart, data, hidden, options);
  if (data.canHide) seriesSwitches(chart, data, hidden, options);
}
