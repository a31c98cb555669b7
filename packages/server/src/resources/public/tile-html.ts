import { chartData, chartSummary, emptyTexts, type Insight, isEmpty } from '@tidemark/charts';
import { type Html, html } from '../../http/html.js';
import { type Size, sizesOf } from './chart-sizes.js';
import type { Charts } from './chart-svg.js';
import type { OpenTile, PublicTile } from './dashboard-loader.js';
import { numberHtml } from './number-html.js';
import { numbersTable } from './numbers-table.js';
import { retentionHtml } from './retention-html.js';
import type { DisplayOptions } from './store.js';
import { accentOf } from './styles.js';

/** Rows of a tile without a layout, and of a page with a single tile. */
const ROWS = 5;
const SINGLE_ROWS = 7;

/** What renders the content of tiles, with its caches. */
export interface TileRenderers {
  charts: Charts;
  markdown: (source: string) => Promise<Html>;
}

/**
 * A tile of a page. `index`: its position; null: the only tile, whose title is the heading of the page. `sharedDays`: the date range that
 * stands above all tiles.
 */
export async function tileHtml(
  { charts, markdown }: TileRenderers,
  tile: OpenTile,
  display: DisplayOptions,
  index: number | null,
  sharedDays: string | null,
): Promise<Html> {
  const isOnly = index === null;
  const { title, description, days, color, place } = tile;
  const content = await tile.content;
  const columns = isOnly ? 12 : spanOf(place);
  const start = place && !isOnly ? ` x${Math.min(12 - columns, Math.max(0, Math.round(place.x)))}` : '';
  const rows = isOnly ? SINGLE_ROWS : place ? Math.min(16, Math.max(1, Math.round(place.h))) : ROWS;
  const height = isOnly ? '' : ` h${rows}`;
  const isNumber = content.kind === 'insight' && content.insight.kind === 'series' && content.insight.display === 'number';
  const className = `tile w${columns}${height}${start}${isNumber ? ' number' : ''}${accentOf(color)}`;
  if (content.kind === 'text')
    return html`<article class="${className}"><div class="text">${await markdown(content.body)}</div></article>`;
  const metric = content.kind === 'insight' && content.metric !== title ? (content.metric ?? '') : '';
  const about = [metric, ...(display.hasDetails ? [days === sharedDays ? '' : days, isOnly ? '' : description] : [])].filter(
    Boolean,
  );
  return html`<article class="${className}">
${!isOnly && html`<h2>${title}</h2>`}${about.map((text) => html`<p class="about">${text}</p>`)}
${content.kind === 'fault' ? html`<p class="fault">${content.message}</p>` : await insightHtml(charts, content.insight, { title, id: `chart-${index ?? 0}`, sizes: sizesOf(columns, rows), display })}
</article>`;
}

const spanOf = (place: PublicTile['place']): number => (place ? Math.min(12, Math.max(1, Math.round(place.w))) : 6);

interface InsightOptions {
  title: string;
  id: string;
  sizes: Size[];
  display: DisplayOptions;
}

async function insightHtml(charts: Charts, insight: Insight, { title, id, sizes, display }: InsightOptions): Promise<Html> {
  if (isEmpty(insight)) {
    const { fact, cause } = emptyTexts(insight);
    return html`<div class="empty"><p><b>${fact}</b></p><p class="about">${cause}</p></div>`;
  }
  const isTable = insight.kind === 'rows' || (insight.kind === 'series' && insight.display === 'table');
  if (isTable) return numbersTable(insight, title);
  if (insight.kind === 'series' && insight.display === 'number') return numberHtml(insight);
  const numbers = html`<details${display.hasNumbers && html` open`}><summary>Numbers<span class="hidden"> of ${title}</span></summary>${numbersTable(insight, title)}</details>`;
  if (insight.kind === 'retention' && insight.cohorts.length > 0)
    return html`${retentionHtml(insight, title)}
${numbers}`;
  const label = `${title}: chart. ${chartSummary(insight)} The numbers are below it.`;
  const drawn = await Promise.all(sizes.map((size) => charts.draw(insight, size, { label, id, hasLegend: display.hasLegend })));
  const data = chartData(insight);
  const warning = insight.kind === 'comparison' ? insight.warning : undefined;
  return html`${warning ? html`<p class="hidden">${warning.fact}. ${warning.cause}</p>` : null}<div class="chart"${data && html` data-series="${JSON.stringify(data)}"`}>${drawn}</div>
${numbers}`;
}
