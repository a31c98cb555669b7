import { formatNumber, type Insight, insightTable } from '@tidemark/charts';
import { type Html, html } from './html.js';

const MOST_ROWS = 100;
const MOST_SERIES = 12;

type Value = string | number | boolean | null;

/** The numbers of a chart as a table that fits a page: of a trend a row for each day. */
export function numbersTable(insight: Insight, title: string): Html {
  const { columns, rows } = numbersOf(insight);
  if (rows.length === 0) return html`<p class="muted">No data</p>`;
  const shown = rows.slice(0, MOST_ROWS);
  const isNumber = columns.map((_, i) => shown.some((row) => typeof row[i] === 'number'));
  const kind = (i: number) => (isNumber[i] ? html` class="num"` : null);
  return html`<div class="table" role="region" tabindex="0" aria-label="${title}: numbers"><table>
<thead><tr>${columns.map((column, i) => html`<th scope="col"${kind(i)}>${column}</th>`)}</tr></thead>
<tbody>${shown.map((row) => html`<tr>${columns.map((_, i) => html`<td${kind(i)}>${cell(row[i] ?? null)}</td>`)}</tr>`)}</tbody>
</table></div>${rows.length > MOST_ROWS && html`<p class="muted">and ${rows.length - MOST_ROWS} more rows</p>`}`;
}

function numbersOf(insight: Insight): { columns: string[]; rows: Value[][] } {
  if (insight.kind !== 'series') {
    const { columns, rows } = insightTable(insight);
    return { columns: columns.map(words), rows };
  }
  const { series, labels, display, over = 'Date' } = insight;
  const overTime = labels.length > 0 && ['line', 'area', 'bar', 'stacked'].includes(display) && series.length <= MOST_SERIES;
  if (!overTime) return { columns: ['Series', 'Total'], rows: series.map(({ label, total }) => [label, total]) };
  return {
    columns: [words(over), ...series.map(({ label }) => label)],
    rows: labels.map((label, i) => [label, ...series.map(({ data }) => data[i] ?? null)]),
  };
}

/** `median_conversion_time` as people write it. */
const words = (name: string): string => {
  const spaced = name.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
};

const cell = (value: Value): string => (value === null ? '–' : typeof value === 'number' ? formatNumber(value) : String(value));

/** One number, and how it has changed when that is known. */
export function bigNumber({ series }: Extract<Insight, { kind: 'series' }>): Html {
  const current = series.find(({ isPrevious }) => !isPrevious) ?? series[0];
  const before = series.find(({ isPrevious }) => isPrevious);
  const change = current && before ? changeOf(current.total, before.total) : (current?.label ?? '');
  const total = current?.total ?? 0;
  const isLong = Math.abs(total) >= LONG;
  return html`<p class="big">${isLong ? SHORT.format(total) : formatNumber(total)}</p><p class="change">${change}</p>`;
}

/** From here on a number is rounded to fit: the whole of it is in few people's interest. */
const LONG = 10_000_000;
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'always' });

const changeOf = (now: number, before: number): string =>
  `${before === 0 ? '' : `${PERCENT.format((now - before) / Math.abs(before))}, `}before: ${formatNumber(before)}`;
