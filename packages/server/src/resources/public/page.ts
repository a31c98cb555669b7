import { type Html, html } from '../../http/html.js';
import { DOCUMENT_END, documentStart, messagePage, wordmark } from '../../http/page/document.js';
import { formatTime } from '../../kernel/display-text.js';
import { sharedDays } from '../exports/index.js';
import type { OpenDashboard, PublicContent } from './dashboard-loader.js';
import { DATE_RANGES, type DateRange } from './date-ranges.js';
import { oldestOf } from './oldest.js';
import type { DisplayOptions } from './store.js';
import { dashboardStyles } from './styles.js';
import { type TileRenderers, tileHtml } from './tile-html.js';

/** Everything that a page depends on besides its dashboard. */
export interface PageOptions {
  display: DisplayOptions;
  /** Whether the page is made for an iframe, without a header. */
  isEmbedded: boolean;
  /** Nonce of its style and script elements, for the Content-Security-Policy. */
  nonce: string;
  /** Address of its image for link previews (Open Graph). */
  image: string;
  timezone: string;
  /** Address of the player when the page shows a recording. */
  player: string | null;
  /** The range that the visitor chose; null: that of each tile. */
  range: DateRange | null;
  /** Seconds after which the page loads again; null: never. */
  refresh: number | null;
  /** Address of the page without parameters. */
  path: string;
  /** Address of the script of charts; null: it is not built. */
  script: string | null;
}

/**
 * The page of a dashboard, an insight or a recording up to its foot, part by part: a tile is there as soon as it and those before it are
 * drawn.
 */
export async function* dashboardPage(
  renderers: TileRenderers,
  dashboard: OpenDashboard,
  options: PageOptions,
): AsyncGenerator<string> {
  const { display, isEmbedded, player } = options;
  const isSingle = dashboard.title === null;
  const days = sharedDays(dashboard.tiles.map((tile) => tile.days)) || null;
  const hasHeader = display.hasHeader && !isEmbedded;
  const hasDays = hasHeader && display.hasName;
  if (player !== null) {
    const facts = await Promise.all(dashboard.tiles.map(({ content }) => content));
    yield `${pageStart(dashboard, options, null)}<main>${hasHeader ? '' : hiddenTitle(dashboard).text}
${html`<iframe class="player" src="${player}" title="The recording" allow="fullscreen; clipboard-write"></iframe>${facts.map(factsHtml)}`.text}</main>`;
    return;
  }
  const tiles = dashboard.tiles.map((tile, i) => tileHtml(renderers, tile, display, isSingle ? null : i, hasDays ? days : null));
  // a tile that fails before its turn is no unhandled rejection
  for (const tile of tiles) tile.catch(() => {});
  yield `${pageStart(dashboard, options, hasDays ? days : null)}<main>${hasHeader ? '' : hiddenTitle(dashboard).text}
${tiles.length > 0 ? '<div class="grid">' : '<p class="empty">There is nothing on this dashboard yet.</p>'}`;
  for (const tile of tiles) yield (await tile).text;
  yield `${tiles.length > 0 ? '</div>' : ''}${(await notes(dashboard, options.timezone))?.text ?? ''}</main>`;
}

const hiddenTitle = (dashboard: OpenDashboard): Html => html`<div class="hidden"><h1>${titleOf(dashboard)}</h1></div>`;

/** What is known of a recording, in a row. It is there without a script, which the player needs. */
function factsHtml(content: PublicContent): Html | null {
  if (content.kind !== 'insight' || content.insight.kind !== 'rows') return null;
  const known = content.insight.rows.flatMap(([name, value = null]) => (value === null ? [] : [{ name: String(name), value }]));
  return html`<dl class="facts">${known.map(
    ({ name, value }) =>
      html`<div><dt>${name}</dt><dd>${typeof value === 'number' ? value.toLocaleString('en') : String(value)}</dd></div>`,
  )}</dl>`;
}

/** What the annotations on the charts say, each once, in full: charts cut long ones. */
async function notes({ notes: all, tiles }: OpenDashboard, timeZone: string): Promise<Html | null> {
  if (all.length === 0) return null;
  const contents = await Promise.all(tiles.map(({ content }) => content));
  const shown = new Set(
    contents.flatMap((content) =>
      content.kind === 'insight' && content.insight.kind === 'series'
        ? (content.insight.annotations ?? []).map(({ text }) => text)
        : [],
    ),
  );
  if (shown.size === 0) return null;
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone });
  return html`<section class="notes"><h2>Notes</h2><dl>${all
    .filter(({ text }) => shown.has(text))
    .map(({ at, text }) => html`<dt>${day.format(at)}</dt><dd>${text}</dd>`)}</dl></section>`;
}

/** The end of the page: its foot, which says how old the results are. */
export async function pageEnd({ tiles }: OpenDashboard, options: FootOptions): Promise<string> {
  const contents = await Promise.all(tiles.map(({ content }) => content));
  return `${foot(contents, options)?.text ?? ''}${DOCUMENT_END}`;
}

/** What the end of a page depends on besides its results. */
export interface FootOptions {
  display: DisplayOptions;
  timezone: string;
  /** The present; epoch milliseconds. */
  now: number;
}

const titleOf = ({ title, tiles }: OpenDashboard): string => title ?? tiles[0]?.title ?? '';

function pageStart(dashboard: OpenDashboard, options: PageOptions, days: string | null): string {
  const { display, isEmbedded, nonce, image, player, script, timezone } = options;
  const title = titleOf(dashboard);
  const isSingle = dashboard.title === null;
  const description = display.hasDetails ? (isSingle ? (dashboard.tiles[0]?.description ?? '') : dashboard.description) : '';
  const hasHeader = display.hasHeader && !isEmbedded;
  const start = documentStart({
    title: display.hasName ? `${title} · Tidemark` : title,
    nonce,
    hasMark: display.hasName,
    styles: dashboardStyles(display),
    className: [isEmbedded && 'embedded', isSingle && 'single'].filter(Boolean).join(' '),
    head: html`<meta property="og:type" content="website"><meta property="og:title" content="${title}">
${description && html`<meta name="description" content="${description}"><meta property="og:description" content="${description}">`}
<meta property="og:image" content="${image}"><meta property="og:image:width" content="1200"><meta property="og:image:height" content="630"><meta property="og:image:alt" content="${title}"><meta name="twitter:card" content="summary_large_image">
${script !== null && html`<script type="module" nonce="${nonce}" src="${script}"></script>`}`,
  });
  if (!hasHeader) return start;
  const about =
    display.hasDetails && player === null
      ? [days, `${days === null ? 'Times' : 'times'} in ${timezone.replaceAll('_', ' ')}`].filter(Boolean)
      : [];
  const bar =
    display.hasName &&
    html`<div class="bar"><div>${wordmark(null)}${about.length > 0 && html`<p>${about.join(', ')}</p>`}</div></div>`;
  return `${start}${
    html`<header>${bar}<div class="head"><div><h1>${title}</h1>${description && html`<p>${description}</p>`}</div>${tools(options)}</div></header>`
      .text
  }\n`;
}

/** Links to other ranges and to files, as far as the owner allows them. */
function tools({ display, range, refresh, path, player }: PageOptions): Html | false {
  const href = (parameters: Record<string, string | number | null>) => {
    const given = Object.entries(parameters).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
    return given.length > 0 ? `?${given.join('&')}` : path;
  };
  const hasRanges = display.hasRanges && player === null;
  const hasDownloads = display.hasDownloads && player === null;
  if (!hasRanges && !hasDownloads) return false;
  const query = range === null ? '' : `?range=${range}`;
  return html`<div class="tools">${
    hasRanges &&
    html`<nav class="ranges" aria-label="Date range">${DATE_RANGES.map(
      (one) =>
        html`<a href="${href({ range: one.range, refresh })}"${one.range === range && html` aria-current="true"`}>${one.label}</a>`,
    )}</nav>`
  }${
    hasDownloads &&
    html`<details class="export"><summary>Export</summary><ul><li><a href="${path}.png${query}" download>Picture (PNG)</a></li><li><a href="${path}.json${query}" download>Numbers (JSON)</a></li></ul></details>`
  }</div>`;
}

function foot(contents: readonly PublicContent[], { display, timezone, now }: FootOptions): Html | null {
  const oldest = oldestOf(contents);
  const at = oldest === null ? null : new Date(oldest);
  const parts = [
    at &&
      display.hasDetails &&
      html`<p class="updated">Updated <time datetime="${at.toISOString()}" title="${formatTime(at, timezone)}">${agoOf(now - at.getTime())}</time></p>`,
    display.hasName && html`<p>Made with Tidemark</p>`,
  ].filter((part) => part instanceof Object);
  return parts.length > 0 ? html`<footer>${parts}</footer>` : null;
}

/** A duration in the past, milliseconds, in words. */
function agoOf(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} minute${minutes === 1 ? '' : 's'} ago`;
  const hours = Math.floor(minutes / 60);
  return `${hours} hour${hours === 1 ? '' : 's'} ago`;
}

/** The form for the password of a page; it shows nothing of the page. `fault`: the error of the last attempt. */
export const unlockPage = (nonce: string, path: string, fault: string | null): string =>
  messagePage(
    nonce,
    'This page is protected',
    'Enter the password that you were given with its address.',
    html`<form method="post" action="${path}"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required autofocus${fault && html` aria-invalid="true" aria-describedby="fault"`}>
${fault && html`<p class="wrong" id="fault" role="alert">${fault}</p>`}
<button type="submit">Show the page</button></form>`,
  );
