import { Html, html } from '../html.js';
import { INTER_LATIN } from './fonts.js';
import { BASE_STYLES, CARD_STYLES, tokenStyles } from './page-styles.js';

/** The shapes of the mark: the line of high water over a wave. */
const MARK_PATHS = ['M3.8 7.2h12.4', 'M3.8 12.8c1.2-2.2 2.8-2.6 4.2-.5s2.7 2.1 4.1 0 3-2.2 4.1.5'] as const;

/** The mark as a file of its own, with the accent of both schemes. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect width="20" height="20" rx="4.5" fill="#0b6b9e"/><g fill="none" stroke="#fff" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"><path d="${MARK_PATHS[0]}" opacity=".55"/><path d="${MARK_PATHS[1]}"/></g></svg>`;

/** The address of the mark as an icon of a page. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(FAVICON)}`;

/** The mark with the name. `href`: where it leads; null: nowhere. */
export function wordmark(href: string | null): Html {
  const inside = html`<svg viewBox="0 0 20 20" aria-hidden="true"><rect width="20" height="20" rx="4.5"/><path d="${MARK_PATHS[0]}"/><path d="${MARK_PATHS[1]}"/></svg>Tidemark`;
  return href === null ? html`<span class="mark">${inside}</span>` : html`<a class="mark" href="${href}">${inside}</a>`;
}

export interface PageDocument {
  title: string;
  /** Nonce of the style element, for the Content-Security-Policy. */
  nonce: string;
  styles: string;
  className?: string;
  /** Whether the tab shows the mark of Tidemark; it does by default. */
  hasMark?: boolean;
  /** Further elements of the head. */
  head?: Html | null;
  body: Html;
}

/** A page up to its content: `<!doctype html>` to the start tag of `body`. */
export const documentStart = ({
  title,
  nonce,
  styles,
  className = '',
  hasMark = true,
  head = null,
}: Omit<PageDocument, 'body'>): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="robots" content="noindex, nofollow, noarchive"><meta name="referrer" content="no-referrer"><link rel="icon" href="${hasMark ? ICON : 'data:,'}"><link rel="preload" href="${INTER_LATIN}" as="font" type="font/woff2" crossorigin>
${head}<style nonce="${nonce}">${new Html(styles.replace(/\n/g, ''))}</style></head>
<body${className && html` class="${className}"`}>
`.text;

export const DOCUMENT_END = '\n</body></html>\n';

/** A whole page. */
const pageDocument = ({ body, ...start }: PageDocument): string => documentStart(start) + body.text + DOCUMENT_END;

/** A page with a single message. `more` stands below the text. */
export const messagePage = (nonce: string, title: string, text: string, more: Html | null = null): string =>
  pageDocument({
    title,
    nonce,
    styles: `${tokenStyles('system')}${BASE_STYLES}${CARD_STYLES}`,
    body: html`<main class="cards"><div class="card"><h1>${title}</h1><p>${text}</p>${more}</div></main>`,
  });
