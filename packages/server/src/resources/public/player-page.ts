import type { Look } from './display-options.js';
import { Html, html } from './html.js';
import { colorStyles } from './styles.js';

/** The document of a player: what shows a recording is a script. `snapshots`: the address of what it plays. */
export const playerPage = (nonce: string, look: Look, snapshots: string): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>A recorded session</title><meta name="robots" content="noindex, nofollow, noarchive"><meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">
<style>${new Html(colorStyles(look))}body{margin:0;background:var(--card);color:var(--text);font:15px/1.4 system-ui,sans-serif}noscript{display:block;padding:24px}h1{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}</style></head>
<body><main id="player" data-snapshots="${snapshots}"><h1>A recorded session</h1></main>
<noscript>Playing the recording needs JavaScript.</noscript>
<script type="module" nonce="${nonce}" src="/static/player.js"></script></body></html>
`.text;

/**
 * What the document of a player may load: our script alone, and for the page that was recorded whatever a page looks like. That page is
 * shown in a frame that has no address and takes over these rules.
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
