import { BASE_STYLES, tokenStyles } from '../../http/page/page-styles.js';
import { sizeStyles, WIDE_SCREEN } from './chart-sizes.js';
import { LONGEST, SHORT } from './number-html.js';
import type { DisplayOptions } from './store.js';

const columns = Array.from({ length: 12 }, (_, i) => `.x${i}{--x:${i + 1}}.w${i + 1}{--w:${i + 1}}`).join('');

const ACCENTS = {
  blue: 'c1',
  orange: 'c2',
  green: 'c3',
  purple: 'c4',
  red: 'c5',
  pink: 'c5',
  yellow: 'c6',
  cyan: 'c7',
  lime: 'c8',
  gray: 'c-other',
};

/** The CSS class for the color of a tile. */
export const accentOf = (color: string | null): string =>
  color !== null && Object.hasOwn(ACCENTS, color.toLowerCase()) ? ` accent-${color.toLowerCase()}` : '';

/** The steps of the scale, each with the text that is readable on it. */
const scale = Array.from({ length: 10 }, (_, i) => `.q${i}{background:var(--seq-${i});color:var(--seq-ink-${i})}`).join('');

const accents = Object.entries(ACCENTS)
  .map(([name, token]) => `.accent-${name}{border-top:3px solid var(--${token})}`)
  .join('');

/** Width of a digit of a large number, in its font size: a bit more than that of Inter. */
const DIGIT = 0.64;

/** Long numbers are smaller in narrow tiles, because a number that goes on in the next line is read as another. */
const numbers = Array.from({ length: LONGEST - SHORT }, (_, i) => {
  const length = SHORT + 1 + i;
  return `.n${length}{--fit:${(100 / DIGIT / length).toFixed(1)}cqi}`;
}).join('');

const PAGE = `
.head,main,footer{max-width:1248px;margin:0 auto;padding:0 24px}
.head{display:flex;flex-wrap:wrap;align-items:end;gap:12px 24px;padding-top:20px}
.head>div{flex:1 1 320px;min-width:0}
.head>.tools{flex:0 1 auto;max-width:100%}
.tools{display:flex;flex-wrap:wrap;gap:8px}
.ranges{display:flex;padding:2px;background:var(--sunken);border:1px solid var(--border);border-radius:6px;font-size:13px}
.ranges a{padding:4px 11px;color:var(--text-2);font-weight:520;text-decoration:none;border:1px solid transparent;border-radius:5px}
.ranges a:hover{color:var(--text)}
.ranges [aria-current]{color:var(--text);background:var(--surface);border-color:var(--border-strong)}
.export{position:relative;margin:0}
.export summary{margin:0;padding:6px 12px;font-size:13px;font-weight:520;color:var(--text);background:var(--surface);border:1px solid var(--border-strong);border-radius:6px;list-style:none}
.export summary::-webkit-details-marker{display:none}
.export ul{position:absolute;right:0;z-index:2;min-width:170px;margin:4px 0 0;padding:4px;list-style:none;background:var(--surface);border:1px solid var(--border-strong);border-radius:8px;box-shadow:0 8px 24px rgb(16 24 32/.12)}
.export li a{display:block;padding:6px 8px;color:var(--text);text-decoration:none;border-radius:4px}
.export li a:hover{background:var(--accent-soft)}
@media (pointer:coarse){.ranges a{padding:9px 11px}.export summary{padding:11px 14px}}
.head p{margin:4px 0 0;color:var(--text-2);max-width:70ch;overflow-wrap:anywhere;white-space:pre-line}
main{padding-top:16px;padding-bottom:24px}
footer{display:flex;flex-wrap:wrap;gap:4px 24px;justify-content:space-between;padding-top:0;padding-bottom:32px;color:var(--text-3);font-size:12px}
footer p{margin:0}
@media screen{body{position:relative}body:has(.bar p) .updated{position:absolute;top:15px;right:max(24px,calc(50% - 600px));font-size:12px;color:var(--text-2)}}
@media screen and (min-width:720px){.bar p{padding-right:145px}}
@media screen and (max-width:719px){body .bar>div{padding-top:12px;padding-bottom:10px}.bar p{flex-basis:100%}body:has(.bar p) .updated{top:13px}}
@media screen and (max-width:640px){body:has(.bar p) .updated{right:16px}}
.notes{margin-top:20px;font-size:13px}.notes h2{margin:0 0 6px;font-size:14px;font-weight:620}
.notes dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:4px 12px;margin:0}.notes dt{color:var(--text-2);font-variant-numeric:tabular-nums}.notes dd{margin:0;overflow-wrap:anywhere;white-space:pre-line}
.muted{color:var(--text-3)}
`;

const GRID = `
.grid{display:grid;grid-template-columns:repeat(12,minmax(0,1fr));gap:12px}
.tile{grid-column:var(--x,auto)/span var(--w,6);display:flex;flex-direction:column;min-width:0;padding:16px 17px 12px;background:var(--surface);border:1px solid var(--border);border-radius:8px;box-shadow:var(--shadow-card);container-type:inline-size}
.tile h2{margin:0;font-size:14px;font-weight:620;line-height:1.35;overflow-wrap:anywhere}
.about{margin:2px 0 0;color:var(--text-3);font-size:12px;overflow-wrap:anywhere;white-space:pre-line}
.chart{position:relative;margin:12px -8px 4px;touch-action:pan-y}
.tip{position:absolute;top:0;z-index:3;width:max-content;padding:8px 10px;color:var(--tip-text);background:var(--tip);border:1px solid var(--tip-border);border-radius:8px;box-shadow:0 8px 24px rgb(16 24 32/.2);font-size:12px;pointer-events:none}
.tip[hidden]{display:none}
.tip b{font-weight:620}.tip-head{display:flex;gap:16px;justify-content:space-between;white-space:nowrap}.tip-head span{color:var(--tip-text-2)}
.tip table{width:100%;margin-top:4px;font-size:12px}
.tip tr,.tip tr:hover{background:none}
.tip td{padding:2px 0 2px 10px;border:0;white-space:nowrap;text-align:right}
.tip td:first-child{padding-left:0}.tip td:nth-child(2){width:99%;max-width:200px;padding-left:6px;overflow:hidden;text-align:left;text-overflow:ellipsis}
.tip td:nth-child(3){font-weight:620}.tip td:nth-child(n+4){color:var(--tip-text-2)}
.tip.narrowest td:nth-child(4){display:none}.tip.narrow td:nth-child(2){max-width:90px}
.tip i,.switches i{display:inline-block;flex:none;width:8px;height:8px;border-radius:2px}
.switches{display:flex;flex-wrap:wrap;gap:4px;margin:6px 8px 0}
.switches button,.copy{display:flex;align-items:center;gap:6px;max-width:100%;padding:3px 8px;overflow:hidden;font:inherit;font-size:12px;color:var(--text-2);background:none;border:1px solid var(--border);border-radius:6px;cursor:pointer}
.switches button:hover,.copy:hover{background:var(--hover)}
.switches [aria-pressed=false]{text-decoration:line-through}.switches [aria-pressed=false] i{opacity:.25}
.copy{margin:6px 0 0 auto}
.sort{padding:0;font:inherit;color:inherit;background:none;border:0;cursor:pointer}
@media (pointer:coarse){.switches button,.copy{min-height:40px}}
.big{--most:40px;margin:6px 0 0;font-size:min(var(--most),var(--fit,100cqi));font-weight:620;line-height:1.2;letter-spacing:-.02em;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
@container (max-width:220px){.big{--most:27px}}
${numbers}
.number h2{color:var(--text-2);font-size:13px;font-weight:520}
.change span{display:inline-block}
.change{margin:2px 0 0;color:var(--text-2);font-size:13px}
.delta{display:inline-block;padding:1px 7px;margin-right:8px;border-radius:4px;background:var(--hover);font-size:12px;font-weight:620;font-variant-numeric:tabular-nums;white-space:nowrap}
.delta svg{width:8px;height:8px;margin-right:5px;fill:none;stroke:currentColor;stroke-width:1.75}
.good{color:var(--good);background:var(--good-soft)}
.bad{color:var(--bad);background:var(--bad-soft)}
.good-ink{color:var(--good)}.bad-ink{color:var(--bad)}.num.up::before{content:"▲ "}.num.down::before{content:"▼ "}
.spark{display:block;width:220px;max-width:100%;height:auto;margin-top:12px}
.empty{margin:auto 0;padding:16px 0}.empty p{margin:0}
.fault{flex:1;display:flex;align-items:center;justify-content:center;min-height:120px;margin:0;color:var(--text-3);text-align:center}
details{margin-top:auto;font-size:13px}
summary{width:fit-content;padding:2px 4px;margin-left:-4px;color:var(--text-2);font-size:12px;cursor:pointer;border-radius:4px}
summary:hover{background:var(--hover)}
.table{overflow:auto;max-height:420px;margin-top:8px;background:linear-gradient(90deg,var(--surface) 50%,transparent) 0 0/40px 100% no-repeat local,linear-gradient(270deg,var(--surface) 50%,transparent) 100% 0/40px 100% no-repeat local,linear-gradient(0deg,var(--surface) 50%,transparent) 0 100%/100% 40px no-repeat local,linear-gradient(90deg,var(--shade),transparent) 0 0/12px 100% no-repeat,linear-gradient(270deg,var(--shade),transparent) 100% 0/12px 100% no-repeat,linear-gradient(0deg,var(--shade),transparent) 0 100%/100% 12px no-repeat}
table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:7px 10px;text-align:left;border-bottom:1px solid var(--border);white-space:nowrap}
tbody tr:hover{background:var(--hover)}
.long{white-space:normal;overflow-wrap:anywhere}
.long{min-width:18em}
th{position:sticky;top:0;background:var(--surface);color:var(--text-3);font-size:12px;font-weight:520}
.num{text-align:right}
.has-bar{position:relative}
.has-bar svg{position:absolute;left:10px;top:4px;width:calc(100% - 10px);height:calc(100% - 8px);fill:var(--c1);fill-opacity:.17}
.has-bar span{position:relative}
.retention table{border-collapse:separate;border-spacing:2px}
.retention th,.retention td{padding:5px 8px;border:0}
.retention thead th,.retention td:not(.num){text-align:center}
.retention tr>:first-child{text-align:left;padding-left:0}
.retention tr>:nth-child(2){text-align:right;color:var(--text-2)}
.retention tbody th{position:sticky;left:0;color:var(--text);font-weight:420;font-size:13px}
.retention .mean th{font-weight:620}
.retention td:not(.num){min-width:44px;border-radius:4px}
.retention .first{background:var(--sunken);color:var(--text-2)}
.retention .unfinished{box-shadow:inset 0 0 0 1px var(--border-strong);color:var(--text-2)}
.unfinished span{border-bottom:1px dashed var(--text-3)}
th:first-child,td:first-child{padding-left:2px}th:last-child,td:last-child{padding-right:2px}.retention :is(th,td):last-child{padding-right:8px}tr:last-child td{border-bottom:0}
tfoot td{border-top:1px solid var(--border);font-weight:620}
.text{overflow-wrap:anywhere}
.text>:first-child{margin-top:0}.text>:last-child{margin-bottom:0}
.text h2,.text h3,.text h4,.text h5,.text h6{margin:1em 0 .4em;line-height:1.3}
.tile .text h2{font-size:16px}.text h3{font-size:15px}.text h4,.text h5,.text h6{font-size:14px}
.text p,.text ul,.text ol,.text pre,.text blockquote{margin:0 0 .8em}
.text ul,.text ol{padding-left:1.4em}
.text pre{overflow:auto;white-space:pre-wrap}
.text pre,.text code{background:var(--sunken);border-radius:4px;font-family:var(--mono);font-size:.9em}
.text pre{padding:10px 12px}.text code{padding:1px 4px}.text pre code{padding:0}
.text blockquote{padding-left:12px;border-left:3px solid var(--border-strong);color:var(--text-2)}
.text hr{border:0;border-top:1px solid var(--border)}
.facts{display:flex;flex-wrap:wrap;gap:8px 28px;margin:0;font-size:13px}.facts div{min-width:0}
.facts dt{color:var(--text-3);font-size:12px}.facts dd{margin:2px 0 0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.player{display:block;width:100%;height:clamp(520px,52vw,max(520px,84vh));margin:0 0 16px;border:1px solid var(--border);border-radius:8px;background:var(--surface)}
.empty{padding:64px 16px;text-align:center;color:var(--text-3)}
.embedded main{max-width:none;padding:12px}
.embedded footer{max-width:none;padding:0 12px 12px}
@media print,(max-width:${WIDE_SCREEN - 1}px){.tile{grid-column:auto/span 6}.w9,.w10,.w11,.w12{grid-column:1/-1}}
@media screen and (max-width:720px){.tile{grid-column:1/-1}.tile.number{grid-column:auto/span 6}}
@media screen and (max-width:319px){.tile.number{grid-column:1/-1}}
@media screen and (max-width:640px){.head,main,footer{padding-left:16px;padding-right:16px}h1{font-size:20px}.tile{padding:14px 15px 10px}.player{height:max(660px,92vh)}}
.single .tile{grid-column:1/-1}
`;

const PRINT = `
@media print{.player,.tools,.switches,.copy,.tip{display:none}th{position:static}th,td{white-space:normal}tr{break-inside:avoid}.num{white-space:nowrap}.long{min-width:0}.tile:has(>.table th:nth-child(4),details[open] th:nth-child(4)){grid-column:1/-1}.table:has(th:nth-child(11)) :is(th,td){padding:4px 3px;white-space:normal;overflow-wrap:anywhere}@page{margin:14mm}body{background:#fff;font-size:12px}.head,main,footer{max-width:none;padding-left:0;padding-right:0}.head{padding-top:0}.tile{break-inside:avoid;box-shadow:none}.retention td,.has-bar svg{print-color-adjust:exact}details:not([open]){display:none}.table{max-height:none;overflow:visible}.text a[href^=http]::after{content:" (" attr(href) ")";color:var(--text-2);font-size:.85em;overflow-wrap:anywhere}}
`;

/** Styles of a page with tiles. */
export const dashboardStyles = (display: DisplayOptions): string =>
  `${tokenStyles(display.theme)}${BASE_STYLES}${PAGE}${columns}${GRID}${sizeStyles()}${scale}${accents}${PRINT}`;
