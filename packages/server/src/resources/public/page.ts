import { type Html, html } from '../../http/html.js';
import { messagePage, pageDocument, wordmark } from '../../http/page/document.js';
import { formatTime } from '../../kernel/display-text.js';
import type { PublicDashboard } from './dashboard-loader.js';
import type { DisplayOptions } from './store.js';
import { dashboardStyles } from './styles.js';
import { type TileRenderers, tileHtml } from './tile-html.js';

/** Everything that a page depends on besides its dashboard. */
export interface PageOptions {
  display: DisplayOptions;
  /** Whether the page is made for an iframe, without a header. */
  isEmbedded: boolean;
  /** Nonce of its style element, for the Content-Security-Policy. */
  nonce: string;
  /** Address of its image for link previews (Open Graph). */
  image: string;
  timezone: string;
  /** Address of the player when the page shows a recording. */
  player: string | null;
}

/** The page of a dashboard, an insight or a recording. */
export async function dashboardPage(renderers: TileRenderers, dashboard: PublicDashboard, options: PageOptions): Promise<string> {
  const { display, isEmbedded, nonce, image, timezone, player } = options;
  const [only] = dashboard.tiles;
  const isSingle = dashboard.title === null;
  const title = dashboard.title ?? only?.title ?? '';
  const description = display.hasDetails ? (isSingle ? (only?.description ?? '') : dashboard.description) : '';
  const tiles = await Promise.all(dashboard.tiles.map((tile, i) => tileHtml(renderers, tile, display, isSingle ? null : i)));
  const hasHeader = display.hasHeader && !isEmbedded;
  const heading = html`<h1>${title}</h1>`;
  return pageDocument({
    title: display.hasName ? `${title} · Tidemark` : title,
    nonce,
    hasMark: display.hasName,
    styles: dashboardStyles(display),
    className: [isEmbedded && 'embedded', isSingle && 'single', player !== null && 'recording'].filter(Boolean).join(' '),
    head: html`<meta property="og:type" content="website"><meta property="og:title" content="${title}">
${description && html`<meta name="description" content="${description}"><meta property="og:description" content="${description}">`}
<meta property="og:image" content="${image}"><meta name="twitter:card" content="summary_large_image">`,
    body: html`${hasHeader && html`<header>${display.hasName && html`<div class="bar"><div>${wordmark(null)}</div></div>`}<div class="head">${heading}${description && html`<p>${description}</p>`}</div></header>`}
<main>${!hasHeader && html`<div class="hidden">${heading}</div>`}
${player !== null && html`<iframe class="player" src="${player}" title="The recording" allow="fullscreen"></iframe>`}
${tiles.length > 0 ? html`<div class="grid">${tiles}</div>` : html`<p class="empty">There is nothing on this dashboard yet.</p>`}
</main>${foot(dashboard, display, timezone)}`,
  });
}

function foot(dashboard: PublicDashboard, display: DisplayOptions, timezone: string): Html | null {
  const times = dashboard.tiles.flatMap(({ content }) =>
    content.kind === 'insight' && content.computedAt ? [content.computedAt] : [],
  );
  const oldest = times.sort()[0];
  const parts = [
    ...(oldest && display.hasDetails
      ? [html`<p>As of <time datetime="${oldest}">${formatTime(new Date(oldest), timezone)}</time></p>`]
      : []),
    ...(display.hasName ? [html`<p>Made with Tidemark</p>`] : []),
  ];
  return parts.length > 0 ? html`<footer>${parts}</footer>` : null;
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
