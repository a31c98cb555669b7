import { formatTime } from '../../kernel/format-time.js';
import type { Charts } from './chart-svg.js';
import type { Look } from './display-options.js';
import { Html, html } from './html.js';
import type { PublicBoard } from './load.js';
import { boardStyles, cardStyles } from './styles.js';
import { tileHtml } from './tile-html.js';

/** What a page is made with beside what it shows. */
export interface PageOptions {
  look: Look;
  /** In a frame of another page, without header. */
  isEmbedded: boolean;
  /** Of the style, for the policy of the page. */
  nonce: string;
  /** Address of the picture that others show of the page. */
  image: string;
  timezone: string;
  /** Address of what plays the recording that the page is about. */
  player: string | null;
}

/** The page of a dashboard or of an insight. */
export async function boardPage(charts: Charts, board: PublicBoard, options: PageOptions): Promise<string> {
  const { look, isEmbedded, nonce, image, timezone, player } = options;
  const [only] = board.tiles;
  const isSingle = board.title === null;
  const title = board.title ?? only?.title ?? '';
  const description = look.hasDetails ? (isSingle ? (only?.description ?? '') : board.description) : '';
  const tiles = await Promise.all(board.tiles.map((tile, i) => tileHtml(charts, tile, look, isSingle ? null : i)));
  const hasHeader = look.hasHeader && !isEmbedded;
  const heading = html`<h1>${title}</h1>`;
  return document({
    title: look.hasName ? `${title} · Tidemark` : title,
    nonce,
    styles: boardStyles(look),
    className: [isEmbedded && 'embedded', isSingle && 'single', player !== null && 'recording'].filter(Boolean).join(' '),
    head: html`<meta property="og:type" content="website"><meta property="og:title" content="${title}">
${description && html`<meta name="description" content="${description}"><meta property="og:description" content="${description}">`}
<meta property="og:image" content="${image}"><meta name="twitter:card" content="summary_large_image">`,
    body: html`${hasHeader && html`<header>${heading}${description && html`<p>${description}</p>`}</header>`}
<main>${!hasHeader && html`<div class="hidden">${heading}</div>`}
${player !== null && html`<iframe class="player" src="${player}" title="The recording" allow="fullscreen"></iframe>`}
${tiles.length > 0 ? html`<div class="grid">${tiles}</div>` : html`<p class="empty">There is nothing on this dashboard yet.</p>`}
</main>${foot(board, look, timezone)}`,
  });
}

function foot(board: PublicBoard, look: Look, timezone: string): Html | null {
  const times = board.tiles.flatMap(({ content }) =>
    content.kind === 'insight' && content.computedAt ? [content.computedAt] : [],
  );
  const oldest = times.sort()[0];
  const parts = [
    ...(oldest && look.hasDetails
      ? [html`<p>As of <time datetime="${oldest}">${formatTime(new Date(oldest), timezone)}</time></p>`]
      : []),
    ...(look.hasName ? [html`<p>Made with Tidemark</p>`] : []),
  ];
  return parts.length > 0 ? html`<footer>${parts}</footer>` : null;
}

/** A page that says one thing: the same for all pages that are not there. */
export const messagePage = (nonce: string, title: string, text: string, more: Html | null = null): string =>
  document({
    title,
    nonce,
    styles: cardStyles(),
    className: '',
    head: null,
    body: html`<main class="cards"><div class="card"><h1>${title}</h1><p>${text}</p>${more}</div></main>`,
  });

/** Asks for the password of a page, and tells nothing of it. `fault`: what was wrong with the last one. */
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

interface Document {
  title: string;
  nonce: string;
  styles: string;
  className: string;
  head: Html | null;
  body: Html;
}

const document = ({ title, nonce, styles, className, head, body }: Document): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="robots" content="noindex, nofollow, noarchive"><meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">
${head}<style nonce="${nonce}">${new Html(styles.replace(/\n/g, ''))}</style></head>
<body class="${className}">
${body}
</body></html>
`.text;
