/**
 * Makes the charts and tables of a page answer to pointer, keys and touch: a crosshair with the numbers of a point, series that can be
 * hidden, tables that can be sorted and copied. The page is complete without it.
 */
import type { ChartData } from '@tidemark/charts';
import { makeInteractive } from '@tidemark/charts/interactive';
import { cellTips } from './cell-tips.js';
import { sortableTable } from './sortable-table.js';

for (const chart of document.querySelectorAll<HTMLElement>('.chart')) {
  const { series } = chart.dataset;
  const data: ChartData | null = series === undefined ? null : JSON.parse(series);
  makeInteractive(chart, data);
}
for (const table of document.querySelectorAll<HTMLTableElement>('.table:not(.retention) > table')) sortableTable(table);
for (const table of document.querySelectorAll<HTMLTableElement>('.retention > table')) cellTips(table);

const updated = document.querySelector<HTMLTimeElement>('.updated time');
if (updated) setInterval(() => writeAge(updated), 60_000);

/** Keeps "Updated 3 minutes ago" true while the page stays open. */
function writeAge(time: HTMLTimeElement): void {
  const minutes = Math.floor((Date.now() - Date.parse(time.dateTime)) / 60_000);
  const [count, unit] = minutes < 60 ? [minutes, 'minute'] : [Math.floor(minutes / 60), 'hour'];
  time.textContent = count < 1 ? 'just now' : `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}
