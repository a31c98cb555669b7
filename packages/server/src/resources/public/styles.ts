import { TOKENS } from '@tidemark/charts';
import type { DisplayOptions } from './store.js';

/** The colors of a theme as CSS variables, which charts use as well. */
const colors = (name: 'light' | 'dark'): string =>
  `color-scheme:${name};${Object.entries(TOKENS[name])
    .map(([token, color]) => `--${token}:${color};`)
    .join('')}`;

function themed(theme: DisplayOptions['theme']): string {
  // print in light colors: paper is white
  if (theme === 'dark') return `:root{${colors('dark')}}@media print{:root{${colors('light')}}}`;
  if (theme === 'light') return `:root{${colors('light')}}`;
  return `:root{${colors('light')}}@media screen and (prefers-color-scheme:dark){:root{${colors('dark')}}}`;
}

const columns = Array.from({ length: 12 }, (_, i) => `.x${i}{--x:${i + 1}}.w${i + 1}{--w:${i + 1}}`).join('');

const ACCENTS = {
  blue: 'c1',
  orange: 'c2',
  green: 'c3',
  red: 'down',
  purple: 'c4',
  pink: 'c5',
  cyan: 'accent-line',
  lime: 'c8',
  yellow: 'c6',
  gray: 'c-other',
};

/** The CSS class for the color of a tile. */
export const accentOf = (color: string | null): string =>
  color !== null && Object.hasOwn(ACCENTS, color.toLowerCase()) ? ` accent-${color.toLowerCase()}` : '';

const accents = Object.entries(ACCENTS)
  .map(([name, token]) => `.accent-${name}{border-top:3px solid var(--${token})}`)
  .join('');

const BASE = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif}
a{color:var(--accent-text)}
a:focus-visible,summary:focus-visible,button:focus-visible,input:focus-visible,.table:focus-visible{outline:2px solid var(--accent-text);outline-offset:2px}
header,main,footer{max-width:1280px;margin:0 auto;padding:0 24px}
header{padding-top:32px;padding-bottom:8px}
h1{margin:0;font-size:28px;line-height:1.25;letter-spacing:-.01em;overflow-wrap:anywhere}
header p{margin:6px 0 0;color:var(--text-3);max-width:70ch;overflow-wrap:anywhere;white-space:pre-line}
main{padding-top:16px;padding-bottom:24px}
footer{display:flex;flex-wrap:wrap;gap:4px 24px;justify-content:space-between;padding-top:0;padding-bottom:32px;color:var(--text-3);font-size:13px}
footer p{margin:0}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.muted{color:var(--text-3)}
`;

const GRID = `
.grid{display:grid;grid-template-columns:repeat(12,minmax(0,1fr));gap:16px}
.tile{grid-column:var(--x,auto)/span var(--w,6);display:flex;flex-direction:column;min-width:0;padding:16px 16px 12px;background:var(--surface);border:1px solid var(--border);border-radius:10px;container-type:inline-size}
.tile h2{margin:0;font-size:16px;line-height:1.35;overflow-wrap:anywhere}
.about{margin:2px 0 0;color:var(--text-3);font-size:13px;overflow-wrap:anywhere;white-space:pre-line}
.chart{margin:12px 0 4px}
.chart svg{display:none;width:100%;height:auto;font-family:inherit}
.chart svg.small{display:block}
@container (min-width:440px){.chart svg.small{display:none}.chart svg.medium{display:block}}
@container (min-width:900px){.chart.has-large svg.medium{display:none}.chart.has-large svg.large{display:block}}
.big{margin:auto 0 0;padding-top:12px;font-size:clamp(32px,17cqi,76px);font-weight:700;line-height:1.15;text-align:center;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.change{margin:2px 0 auto;padding-bottom:12px;color:var(--text-3);font-size:14px;text-align:center}
.fault{flex:1;display:flex;align-items:center;justify-content:center;min-height:120px;margin:0;color:var(--text-3);text-align:center}
details{font-size:14px}
summary{width:fit-content;padding:2px 4px;margin-left:-4px;color:var(--text-3);font-size:13px;cursor:pointer;border-radius:4px}
.table{overflow:auto;max-height:420px;margin-top:8px}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{padding:6px 10px;text-align:left;border-bottom:1px solid var(--grid);white-space:nowrap}
.recording td,.long{white-space:normal;overflow-wrap:anywhere}
.long{min-width:18em}
h1,h2,p,li,td,th{unicode-bidi:plaintext}
th{position:sticky;top:0;background:var(--surface);color:var(--text-3);font-weight:600}
.num{text-align:right}
th:first-child,td:first-child{padding-left:2px}th:last-child,td:last-child{padding-right:2px}tr:last-child td{border-bottom:0}
tfoot td{border-top:1px solid var(--border);font-weight:600}
.text{overflow-wrap:anywhere}
.text>:first-child{margin-top:0}.text>:last-child{margin-bottom:0}
.text h2,.text h3,.text h4,.text h5,.text h6{margin:1em 0 .4em;line-height:1.3}
.tile .text h2{font-size:19px}.text h3{font-size:17px}.text h4,.text h5,.text h6{font-size:15px}
.text p,.text ul,.text ol,.text pre,.text blockquote{margin:0 0 .8em}
.text ul,.text ol{padding-left:1.4em}
.text pre{overflow:auto;white-space:pre-wrap}
.text pre,.text code{background:var(--bg);border-radius:4px;font-size:.9em}
.text pre{padding:10px 12px}.text code{padding:1px 4px}.text pre code{padding:0}
.text blockquote{padding-left:12px;border-left:3px solid var(--border);color:var(--text-3)}
.text hr{border:0;border-top:1px solid var(--border)}
.player{display:block;width:100%;height:clamp(440px,62vw,max(440px,80vh));margin:0 0 16px;border:1px solid var(--border);border-radius:10px;background:var(--surface)}
.empty{padding:64px 16px;text-align:center;color:var(--text-3)}
.embedded main{max-width:none;padding:12px}
.embedded footer{max-width:none;padding:0 12px 12px}
@media print,(max-width:1000px){.tile{grid-column:auto/span 6}.w9,.w10,.w11,.w12{grid-column:1/-1}}
@media screen and (max-width:640px){.tile{grid-column:1/-1}}
@media (max-width:500px){header,main,footer{padding-left:12px;padding-right:12px}header{padding-top:20px}h1{font-size:23px}.grid{gap:12px}.tile{padding:14px 12px 10px}}
.single .tile{grid-column:1/-1}
@media print{.player{display:none}th{position:static}th,td{white-space:normal}tr{break-inside:avoid}.num{white-space:nowrap}.long{min-width:0}.tile:has(>.table th:nth-child(4),details[open] th:nth-child(4)){grid-column:1/-1}.table:has(th:nth-child(11)) :is(th,td){padding:4px 3px;white-space:normal;overflow-wrap:anywhere}@page{margin:14mm}body{background:#fff;font-size:12px}header,main,footer{max-width:none;padding-left:0;padding-right:0}header{padding-top:0}.grid{gap:10px}.tile{break-inside:avoid}details:not([open]){display:none}.table{max-height:none;overflow:visible}.text a[href^=http]::after{content:" (" attr(href) ")";color:var(--text-3);font-size:.85em;overflow-wrap:anywhere}}
`;

const CARD = `
.card{max-width:400px;margin:12vh auto 0;padding:28px;background:var(--surface);border:1px solid var(--border);border-radius:12px}
.card h1{font-size:21px}
.card p{margin:8px 0 0;color:var(--text-3)}
main.cards{padding:0 16px}
form{margin-top:20px}
label{display:block;margin-bottom:6px;font-weight:600;font-size:14px}
input{width:100%;padding:10px 12px;font:inherit;color:var(--text);background:var(--bg);border:1px solid var(--text-3);border-radius:8px}
button{width:100%;margin-top:14px;padding:10px 12px;font:inherit;font-weight:600;color:var(--accent-ink);background:var(--accent);border:0;border-radius:8px;cursor:pointer}
.card .wrong{margin:10px 0 0;color:var(--text);font-weight:600}
`;

/** Colors alone, for the document of the player. */
export const colorStyles = ({ theme }: DisplayOptions): string => themed(theme);

/** Styles of a page with tiles. */
export const dashboardStyles = ({ theme }: DisplayOptions): string => `${themed(theme)}${BASE}${columns}${GRID}${accents}`;
/** Styles of a page with a message or a form. */
export const cardStyles = (): string => `${themed('system')}${BASE}${CARD}`;
