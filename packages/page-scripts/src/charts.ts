/**
 * Makes the charts and tables of a page answer to pointer, keys and touch: a crosshair with the numbers of a point, series that can be
 * hidden, tables that can be sorted and copied. The page is complete without it.
 */
import { chartTip } from './chart-tip.js';
import { markTips } from './mark-tips.js';
import { seriesSwitches } from './series-switches.js';
import { sortableTable } from './sortable-table.js';

/** The JSON of a chart (see packages/server/src/resources/public/chart-data.ts). */
export interface ChartData {
  times: string[];
  unfinished: number;
  isBand: boolean;
  canHide: boolean;
  series: { name: string; color: string; isPrevious: boolean; values: number[]; texts: string[] }[];
}

for (const chart of document.querySelectorAll<HTMLElement>('.chart[data-series]')) {
  const data: ChartData = JSON.parse(chart.dataset['series'] ?? '');
  const hidden = new Set<number>();
  chartTip(chart, data, hidden);
  if (data.canHide) seriesSwitches(chart, data, hidden);
}
for (const chart of document.querySelectorAll<HTMLElement>('.chart:not([data-series])')) markTips(chart);
for (const table of document.querySelectorAll<HTMLTableElement>('.table:not(.retention) > table')) sortableTable(table);

const updated = document.querySelector<HTMLTimeElement>('.updated time');
if (updated) setInterval(() => writeAge(updated), 60_000);

/** Keeps "Updated 3 minutes ago" true while the page stays open. */
function writeAge(time: HTMLTimeElement): void {
  const minutes = Math.floor((Date.now() - Date.parse(time.dateTime)) / 60_000);
  const [count, unit] = minutes < 60 ? [minutes, 'minute'] : [Math.floor(minutes / 60), 'hour'];
  time.textContent = count < 1 ? 'just now' : `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}
