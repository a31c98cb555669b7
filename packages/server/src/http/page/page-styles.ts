import { TOKENS } from '@tidemark/charts';
import { FONT_FAMILY, FONT_STYLES } from './fonts.js';

/** Whether a page follows the color scheme of the visitor's device (`system`) or has a fixed one. */
export type PageTheme = 'light' | 'dark' | 'system';

/** The variables of a page: the colors of the design tokens. Paper is white, so print is always light. */
export function tokenStyles(theme: PageTheme): string {
  if (theme === 'light') return `:root{${variables('light')}}`;
  if (theme === 'dark') return `:root{${variables('dark')}}@media print{:root{${variables('light')}}}`;
  return `:root{${variables('light')}}@media screen and (prefers-color-scheme:dark){:root{${variables('dark')}}}`;
}

const SHADOWS = { light: '0 1px 2px rgb(16 24 32 / .05)', dark: 'none' };
/** What lies over the edge of a table that scrolls on. */
const SHADES = { light: 'rgb(16 24 32 / .16)', dark: 'rgb(0 0 0 / .75)' };

const variables = (scheme: 'light' | 'dark'): string =>
  `color-scheme:${scheme};--shadow-card:${SHADOWS[scheme]};--shade:${SHADES[scheme]};${Object.entries(TOKENS[scheme])
    .map(([name, value]) => `--${name}:${value};`)
    .join('')}`;

/** What every page has: type, links, focus rings, the bar with the wordmark. */
export const BASE_STYLES = `${FONT_STYLES}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--text);font:14px/1.45 ${FONT_FAMILY};--mono:"JetBrains Mono Variable",ui-monospace,"SF Mono","DejaVu Sans Mono",monospace}
a{color:var(--accent-text)}
:is(a,summary,button,input,[tabindex]):focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:4px}
h1{margin:0;font-size:24px;font-weight:620;line-height:1.2;letter-spacing:-.015em;overflow-wrap:anywhere}
h1,h2,p,li,td,th{unicode-bidi:plaintext}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.bar{background:var(--surface);border-bottom:1px solid var(--border)}
.bar>div{display:flex;flex-wrap:wrap;align-items:center;gap:4px 16px;max-width:1248px;min-height:47px;margin:0 auto;padding:6px 24px;color:var(--text-2);font-size:12px}
.bar p{margin:0}
.mark{display:flex;align-items:center;gap:9px;margin-right:auto;color:var(--text);font-size:13px;font-weight:620;text-decoration:none}
.mark svg{width:20px;height:20px;flex:none}
.mark rect{fill:var(--accent)}.mark path{fill:none;stroke:var(--accent-ink);stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
.mark path:first-of-type{opacity:.55}
@media (max-width:640px){.bar>div{padding:6px 16px}}
@media print{.bar{border:0;background:none}.bar>div{padding:0;min-height:0;max-width:none}}
`;

/** A page with a single card: a message or a form. */
export const CARD_STYLES = `
.cards{padding:0 16px}
.card{max-width:400px;margin:12vh auto 48px;padding:24px;background:var(--surface);border:1px solid var(--border);border-radius:8px;box-shadow:var(--shadow-card)}
.card h1{font-size:20px}
.card p{margin:8px 0 0;color:var(--text-2)}
form{margin-top:20px}
label{display:block;margin-bottom:4px;color:var(--text-2);font-size:12px;font-weight:520}
input{width:100%;height:36px;padding:0 10px;font:inherit;color:var(--text);background:var(--surface);border:1px solid var(--border-input);border-radius:6px}
input[aria-invalid]{border-color:var(--bad)}
button{width:100%;height:36px;margin-top:12px;padding:0 12px;font:inherit;font-size:13px;font-weight:520;color:var(--accent-ink);background:var(--accent);border:0;border-radius:6px;cursor:pointer}
button:hover{background:var(--accent-hover)}
.card .wrong{margin:8px 0 0;color:var(--bad);font-size:13px}
@media (pointer:coarse){input,button{height:44px}}
`;
