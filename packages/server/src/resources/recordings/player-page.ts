import { written } from '@tidemark/charts';
import { Html, html } from '../../http/html.js';
import { FONT_FAMILY, FONT_STYLES } from '../../http/page/fonts.js';
import { type PageTheme, tokenStyles } from '../../http/page/page-styles.js';

/** Something that is known of a session, as the player shows it above the picture. */
interface Fact {
  label: string;
  value: string;
  icon: 'person' | 'browser' | 'device' | 'place' | 'length' | 'page' | 'click' | 'error';
}

/** A session, as far as its title and facts need it. Times are epoch milliseconds. */
interface Session {
  start: number;
  end: number;
  clicks: number;
  errors: number;
  url: string | null;
}

export interface PlayerPage {
  title: string;
  theme: PageTheme;
  /** Address of the snapshots that it plays. */
  snapshots: string;
  /** Address of the page for people, to which the player appends `?t=<seconds>`. */
  link: string;
  facts: readonly Fact[];
}

/** The title of a recording: `Session of 23 Nov 2026, 1m 20s, 4 clicks`. */
export function recordingTitle({ start, end, clicks }: Pick<Session, 'start' | 'end' | 'clicks'>, timeZone: string): string {
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone }).format(start);
  return `Session of ${day}, ${lasting(end - start)}, ${counted(clicks, 'click')}`;
}

/** The facts of a session without its person, for visitors of a public page. */
export const sessionFacts = ({ start, end, clicks, errors, url }: Session): Fact[] => [
  { label: 'Duration', value: lasting(end - start), icon: 'length' },
  { label: 'Clicks', value: counted(clicks, 'click'), icon: 'click' },
  ...(errors > 0 ? [{ label: 'Errors in the console', value: counted(errors, 'error'), icon: 'error' } as const] : []),
  ...factOf('First page', pathOf(url), 'page'),
];

/** The facts of a person's session: who it was, and their browser, device and country, from the properties of the person. */
export function personFacts(name: string | null, properties: Readonly<Record<string, unknown>>): Fact[] {
  const textOf = (property: string) => {
    const value = properties[property];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const joined = (...parts: string[]) => parts.filter(Boolean).join(' ');
  return [
    ...factOf('Person', name, 'person'),
    ...factOf('Browser', joined(textOf('$browser'), textOf('$browser_version')), 'browser'),
    ...factOf('Device', [textOf('$device_type'), textOf('$os')].filter(Boolean).join(', '), 'device'),
    ...factOf('Country', textOf('$geoip_country_name'), 'place'),
  ];
}

/** The document of the player, which is a script. Its iframe of the recorded page inherits the policy of the document. */
export const playerPage = (nonce: string, { title, theme, snapshots, link, facts }: PlayerPage): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="robots" content="noindex, nofollow, noarchive"><meta name="referrer" content="no-referrer">
<style>${new Html(`${FONT_STYLES}${tokenStyles(theme)}`)}html,body,main,#player{height:100%}body{margin:0;background:var(--surface);color:var(--text);font:15px/1.4 ${new Html(FONT_FAMILY)}}noscript{display:block;padding:24px}h1{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}</style></head>
<body><main><h1>${title}</h1><div id="player" data-snapshots="${snapshots}" data-link="${link}" data-facts="${JSON.stringify(facts)}"></div></main>
<noscript>Playing the recording needs JavaScript.</noscript>
<script type="module" nonce="${nonce}" src="/static/player.js"></script></body></html>
`.text;

/**
 * The Content-Security-Policy of the player: its script, and styles, images, fonts and media from anywhere. The recorded page is shown
 * in an iframe without an address, which inherits this policy.
 */
export const playerPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline' https: http:",
    ...['img-src', 'font-src', 'media-src'].map((kind) => `${kind} https: http: data: blob:`),
    "connect-src 'self'",
    "frame-src 'none'",
    "object-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');

/** An address without its query and fragment, which may be private. Mobile apps send the name of a screen instead. */
export function publicPage(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return url?.replace(/[?#].*/s, '') ?? null;
  const { protocol, host, pathname } = new URL(url);
  return host ? `${protocol}//${host}${pathname}` : null;
}

function pathOf(url: string | null): string | null {
  const page = publicPage(url);
  return page !== null && URL.canParse(page) ? new URL(page).pathname : page;
}

const factOf = (label: string, value: string | null, icon: Fact['icon']): Fact[] => (value ? [{ label, value, icon }] : []);
const lasting = (milliseconds: number) => written(milliseconds, { unit: 'milliseconds' });
const counted = (count: number, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
