import { type Insight, type NumberStyle, type ShownTable, shownTable, written } from '@tidemark/charts';
import { type Html, html } from '../../http/html.js';
import type { Charts } from './chart-svg.js';
import type { PublicTile } from './dashboard-loader.js';
import type { DisplayOptions } from './store.js';
import { accentOf } from './styles.js';

/** A tile of this many columns may be wide enough for the large chart. */
const WIDE = 9;

/** What renders the content of tiles, with its caches. */
export interface TileRenderers {
  charts: Charts;
  markdown: (source: string) => Html;
}

/** A tile of a page. `index`: its position; null: the only tile, whose title is the heading of the page. */
export async function tileHtml(
  { charts, markdown }: TileRenderers,
  tile: PublicTile,
  display: DisplayOptions,
  index: number | null,
): Promise<Html> {
  const isOnly = index === null;
  const { title, description, days, content, color, place } = tile;
  const columns = isOnly ? 12 : spanOf(place);
  const start = place && !isOnly ? ` x${Math.min(12 - columns, Math.max(0, Math.round(place.x)))}` : '';
  const className = `tile w${columns}${start}${accentOf(color)}`;
  if (content.kind === 'text')
    return html`<article class="${className}"><div class="text">${markdown(content.body)}</div></article>`;
  const about = [...(display.hasDetails ? [days, isOnly ? '' : description] : [])].filter(Boolean);
  return html`<article class="${className}">
${!isOnly && html`<h2>${title}</h2>`}${about.map((text) => html`<p class="about">${text}</p>`)}
${content.kind === 'fault' ? html`<p class="fault">${content.message}</p>` : await insightHtml(charts, content.insight, { title, id: `chart-${index ?? 0}`, isWide: columns >= WIDE, display })}
</article>`;
}

const spanOf = (place: PublicTile['place']): number => (place ? Math.min(12, Math.max(1, Math.round(place.w))) : 6);

interface InsightOptions {
  title: string;
  id: string;
  isWide: boolean;
  display: DisplayOptions;
}

async function insightHtml(charts: Charts, insight: Insight, { title, id, isWide, display }: InsightOptions): Promise<Html> {
  const isTable = insight.kind === 'rows' || (insight.kind === 'series' && insight.display === 'table');
  if (isTable) return numbersTable(insight, title);
  if (insight.kind === 'series' && insight.display === 'number') return bigNumber(insight);
  if (insight.kind === 'nothing') return html`<p class="fault">No data</p>`;
  const label = `${title}: chart. The numbers are below it.`;
  const sizes = isWide ? (['small', 'medium', 'large'] as const) : (['small', 'medium'] as const);
  const drawn = await Promise.all(sizes.map((size) => charts.draw(insight, size, { label, id, hasLegend: display.hasLegend })));
  return html`<div class="chart${isWide && ' has-large'}">${drawn}</div>
<details${display.hasNumbers && html` open`}><summary>Numbers<span class="hidden"> of ${title}</span></summary>${numbersTable(insight, title)}</details>`;
}

const MAX_ROWS = 100;
const MAX_SERIES = 12;
/** A cell with a longer text wraps, so that the table stays narrow; characters. */
const LONG_TEXT = 40;

/** The numbers of a chart as a table. A trend has a row for each date. */
function numbersTable(insight: Insight, title: string): Html {
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
function bigNumber({ series }: Extract<Insight, { kind: 'series' }>): Html {
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
