import { type Insight, type NumberStyle, type ShownTable, shownTable, written } from '@tidemark/charts';
import { type Html, html } from './html.js';

const MAX_ROWS = 100;
const MAX_SERIES = 12;
/** A cell with a longer text wraps, so that the table stays narrow; characters. */
const LONG_TEXT = 40;

/** The numbers of a chart as a table. A trend has a row for each date. */
export function numbersTable(insight: Insight, title: string): Html {
  const { columns, rows, count, totals } = numbersOf(insight);
  if (count === 0) return html`<p class="muted">No data</p>`;
  const kind = (i: number) => (columns[i]?.isNumber ? html` class="num"` : null);
  const long = (text = '') => (text.length > LONG_TEXT ? html` class="long"` : null);
  const line = (cells: ShownTable['rows'][number]) =>
    html`<tr>${columns.map((_, i) => html`<td${kind(i) ?? long(cells[i]?.text)}>${cells[i]?.text || '–'}</td>`)}</tr>`;
  return html`<div class="table" role="region" tabindex="0" aria-label="${title}: numbers"><table>
<thead><tr>${columns.map(({ label }, i) => html`<th scope="col"${kind(i)}>${label}</th>`)}</tr></thead>
<tbody>${rows.map(line)}</tbody>
${totals && html`<tfoot>${line(totals)}</tfoot>`}</table></div>${count > rows.length && html`<p class="muted">and ${count - rows.length} more rows</p>`}`;
}

function numbersOf(insight: Insight): ShownTable {
  if (insight.kind !== 'series') {
    const { columns, ...table } = shownTable(insight, MAX_ROWS);
    const isNamed = insight.kind === 'rows' && insight.tableOptions !== undefined;
    return { ...table, columns: columns.map(({ label, isNumber }) => ({ label: isNamed ? label : words(label), isNumber })) };
  }
  const { series, labels, display, over = 'Date', isPercent } = insight;
  const overTime = labels.length > 0 && ['line', 'area', 'bar', 'stacked'].includes(display) && series.length <= MAX_SERIES;
  if (!overTime) return shownTable(insight, MAX_ROWS);
  const cell = (value: number | undefined, style: NumberStyle | undefined) => ({
    text: value === undefined ? '' : written(value, isPercent ? { unit: 'percent' } : style),
    color: null,
  });
  return {
    columns: [{ label: words(over), isNumber: false }, ...series.map(({ label }) => ({ label, isNumber: true }))],
    rows: labels
      .slice(0, MAX_ROWS)
      .map((label, i) => [{ text: label, color: null }, ...series.map(({ data, style }) => cell(data[i], style))]),
    count: labels.length,
    totals: null,
  };
}

/** `median_conversion_time` as `Median conversion time`. */
const words = (name: string): string => {
  const spaced = name.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
};

/** A single number, with its change from the previous period if there is one. */
export function bigNumber({ series }: Extract<Insight, { kind: 'series' }>): Html {
  const current = series.find(({ isPrevious }) => !isPrevious) ?? series[0];
  const before = series.find(({ isPrevious }) => isPrevious);
  const change = current && before ? changeOf(current.total, before.total, current.style) : (current?.label ?? '');
  const total = current?.total ?? 0;
  const isLong = Math.abs(total) >= LONG && !current?.style;
  return html`<p class="big">${isLong ? SHORT.format(total) : written(total, current?.style)}</p><p class="change">${change}</p>`;
}

/** From here on a number is shortened, such as `12.35M`. */
const LONG = 10_000_000;
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'always' });

const changeOf = (now: number, before: number, style: NumberStyle | undefined): string =>
  `${before === 0 ? '' : `${PERCENT.format((now - before) / Math.abs(before))}, `}before: ${written(before, style)}`;
