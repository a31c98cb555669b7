import { type Insight, type NumberStyle, type ShownCell, type ShownTable, shownTable, written } from '@tidemark/charts';
import { type Html, html } from '../../http/html.js';
import { readableHead } from '../exports/index.js';

const MAX_ROWS = 100;
const MAX_SERIES = 12;
/** A cell with a longer text wraps, so that the table stays narrow; characters. */
const LONG_TEXT = 40;

/** The numbers of a chart as a table. A trend has a row for each date. */
export function numbersTable(insight: Insight, title: string): Html {
  const { columns, rows, count, totals, sortedBy, isOrdered = false } = numbersOf(insight);
  if (count === 0) return html`<p class="muted">No data</p>`;
  // times that name the rows stand on the left, as other names
  const kind = (i: number) => (columns[i]?.isNumber || (columns[i]?.isTime && i > 0) ? html` class="num"` : null);
  const largest = Math.max(0, ...rows.map((row) => row[sortedBy ?? -1]?.value ?? 0));
  const long = (text = '') => (text.length > LONG_TEXT ? html` class="long"` : null);
  const cellHtml = (cell: ShownCell | undefined, i: number) => {
    const text = cell?.text || '–';
    if (i === sortedBy && typeof cell?.value === 'number')
      return html`<td class="num has-bar">${barHtml(cell.value / largest)}<span>${text}</span></td>`;
    if (cell?.verdict === 'good' || cell?.verdict === 'bad')
      return html`<td class="num ${cell.verdict}-ink ${(cell.value ?? 0) > 0 ? 'up' : 'down'}">${text}</td>`;
    return html`<td${kind(i) ?? long(cell?.text)}${cell?.title ? html` title="${cell.title}"` : null}>${text}</td>`;
  };
  const line = (cells: ShownTable['rows'][number]) => html`<tr>${columns.map((_, i) => cellHtml(cells[i], i))}</tr>`;
  const total = (cells: ShownTable['rows'][number]) =>
    html`<tr>${columns.map((_, i) => html`<td${kind(i) ?? long(cells[i]?.text)}>${cells[i]?.text || '–'}</td>`)}</tr>`;
  const headHtml = (label: string, i: number) =>
    i === sortedBy
      ? html`<th scope="col" class="num" aria-sort="descending">${label} <span aria-hidden="true">↓</span></th>`
      : html`<th scope="col"${kind(i)}${isOrdered && i === 0 && html` data-ordered`}>${label}</th>`;
  return html`<div class="table" role="region" tabindex="0" aria-label="${title}: numbers"><table>
<thead><tr>${columns.map(({ label }, i) => headHtml(label, i))}</tr></thead>
<tbody>${rows.map(line)}</tbody>
${totals && html`<tfoot>${total(totals)}</tfoot>`}</table></div>${count > rows.length && html`<p class="muted">and ${count - rows.length} more rows</p>`}`;
}

/** `isOrdered`: the first column has dates in their order, as texts. */
function numbersOf(insight: Insight): ShownTable & { isOrdered?: true } {
  if (insight.kind !== 'series') {
    const { columns, ...table } = shownTable(insight, MAX_ROWS);
    const isNamed = insight.kind === 'rows' && insight.tableOptions !== undefined;
    return {
      ...table,
      columns: columns.map((column) => ({ ...column, label: isNamed ? column.label : readableHead(column.label) })),
    };
  }
  const { series, labels, display, over = 'Date', isPercent, upcoming = 0 } = insight;
  const overTime = labels.length > 0 && ['line', 'area', 'bar', 'stacked'].includes(display) && series.length <= MAX_SERIES;
  if (!overTime) return shownTable(insight, MAX_ROWS);
  const cell = (value: number | undefined, style: NumberStyle | undefined) => ({
    text: value === undefined ? '' : written(value, isPercent ? { unit: 'percent' } : style),
    color: null,
    value: value ?? null,
  });
  return {
    columns: [
      { label: readableHead(over), isNumber: false, isTime: false },
      ...series.map(({ label }) => ({ label, isNumber: true, isTime: false })),
    ],
    rows: labels.slice(0, MAX_ROWS).map((label, i) => [
      { text: label, color: null, value: null },
      // what has not begun has no number
      ...series.map(({ data, style, isPrevious }) =>
        cell(isPrevious || i < labels.length - upcoming ? data[i] : undefined, style),
      ),
    ]),
    count: labels.length,
    totals: null,
    sortedBy: null,
    isOrdered: true,
  };
}

/** A bar behind a number. The policy of pages forbids inline styles, so that its width is an attribute of SVG. */
const barHtml = (share: number): Html =>
  html`<svg aria-hidden="true"><rect width="${Math.round(share * 1000) / 10}%" height="100%" rx="4"/></svg>`;
