const LIGHT =
  '--background:#fff;--text:#12181e;--muted:#47525e;--border:#87919c;--line:#e3e7ea;--accent:#0b6b9e;--accent-text:#fff;--input:#fff;--hover:#eef1f3;--bad:#b01f35;--star:#b18c12;' +
  '--shadow:0 2px 6px rgb(16 24 32/.1),0 24px 64px rgb(16 24 32/.2);color-scheme:light';
const DARK =
  '--background:#1b2126;--text:#e9edf0;--muted:#b0b9c2;--border:#6b7680;--line:#37414a;--accent:#62b2ea;--accent-text:#06141e;--input:#14181c;--hover:#262e35;--bad:#f7919c;--star:#e7c94d;' +
  '--shadow:0 0 0 1px #2f383f,0 24px 72px rgb(0 0 0/.6);color-scheme:dark';

/** A value of the page's CSS variable, of the survey's appearance, or the default, in this order. */
const own = (name: string, normal = `var(--${name})`) => `var(--tidemark-survey-${name},var(--set-${name},${normal}))`;

export const STYLES = `
:host{all:initial!important;position:fixed!important;inset:0!important;z-index:${own('z-index', '2147483645')}!important;display:flex!important;
box-sizing:border-box!important;padding:16px!important;pointer-events:none!important;align-items:flex-end!important;justify-content:flex-end!important}
:host(.left){justify-content:flex-start!important}:host(.center){justify-content:center!important}
:host(.top){align-items:flex-start!important}:host(.middle){align-items:center!important}
*{box-sizing:border-box;margin:0;font:inherit;letter-spacing:inherit}
.card{${LIGHT};pointer-events:auto;position:relative;width:${own('width', '360px')};max-width:100%;max-height:100%;overflow:auto;padding:${own('padding', '20px')};
border-radius:${own('radius', '12px')};background-color:${own('background')};color:${own('text')};box-shadow:${own('shadow')};
font:14px/1.45 ${own('font', 'system-ui,sans-serif')};overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){.card:not(.light){${DARK}}}
.card.dark{${DARK}}
.card:focus{outline:0}
form{display:grid;gap:14px}
h2{font-size:16px;font-weight:600;line-height:1.3}
p,.bounds{color:${own('muted')};white-space:pre-line}
.head{display:grid;gap:4px;padding-inline-end:32px}
.error:empty{display:none}
.error{color:var(--bad);font-weight:500}
textarea,[type=text]{width:100%;padding:8px 10px;border:1px solid ${own('border')};border-radius:6px;background-color:${own('input')};color:${own('input-text', 'var(--text)')}}
textarea{display:block;min-height:80px;resize:vertical}
::placeholder{color:inherit;opacity:.72}
.scale{display:flex;gap:4px}
.scale label{position:relative;flex:1 1 0;min-width:0}
.scale span{display:grid;place-items:center;height:40px;border:1px solid ${own('border')};border-radius:6px;
background-color:${own('rating', 'transparent')};color:${own('rating-text', own('text'))};font-variant-numeric:tabular-nums;cursor:pointer}
.scale input{position:absolute;inset:0;width:100%;height:100%;opacity:0;cursor:pointer}
.scale label:hover span{border-color:currentColor}
.scale :checked+span{border-color:transparent;background-color:${own('rating-active', own('accent'))};color:${own('rating-active-text', own('accent-text'))};font-weight:600}
.emoji span,.stars span{height:44px;border-color:transparent!important;background:none!important;font-size:28px;line-height:1}
.emoji label:hover span{background-color:var(--hover)!important}
.emoji :checked+span{background-color:var(--hover)!important;box-shadow:inset 0 0 0 2px ${own('accent')}}
.stars span{color:var(--border)!important}.stars .lit span{color:var(--star)!important}
.bounds{display:flex;justify-content:space-between;gap:16px;margin-top:6px;font-size:12px}
.choices{display:grid;gap:6px}
.choices label{display:flex;gap:10px;align-items:flex-start;padding:8px 10px;border:1px solid var(--line);border-radius:6px;cursor:pointer}
.choices label:hover{background-color:var(--hover)}
.choices label input{flex:none;width:16px;height:16px;margin-top:2px;accent-color:${own('accent')}}
.foot{display:flex;align-items:center;justify-content:space-between;gap:12px}
.foot span{color:${own('muted')};font-size:12px}
.send{min-height:36px;margin-inline-start:auto;padding:7px 16px;border:0;border-radius:6px;background-color:${own('accent')};color:${own('accent-text')};font-weight:600;text-decoration:none;cursor:pointer}
.back{min-height:36px;padding:7px 14px;border:1px solid ${own('border')};border-radius:6px;background:none;color:inherit;cursor:pointer}
.back:hover{background-color:var(--hover)}
.send:hover{filter:brightness(.94)}
.close{position:absolute;top:12px;inset-inline-end:12px;width:32px;height:32px;padding:0;border:0;border-radius:6px;background:none;color:inherit;font-size:22px;line-height:1;cursor:pointer}
.close:hover{background-color:var(--hover)}
[hidden]{display:none!important}
.announcement{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
:is(button,a,textarea,input):focus-visible,.scale :focus-visible+span{outline:2px solid ${own('accent')};outline-offset:2px}
@media(pointer:coarse){.send,.back,.choices label,.close{min-height:44px}.close{width:44px;top:6px;inset-inline-end:6px}.scale span{height:44px}}
@media(max-width:480px){.card{width:100%}}
@media(prefers-reduced-motion:no-preference){.card{animation:in .15s cubic-bezier(.2,0,0,1)}@keyframes in{from{opacity:0;transform:translateY(8px)}}}
@media(forced-colors:active){.card{border:1px solid}.scale :checked+span{outline:3px solid Highlight}}
@media print{:host{display:none!important}}`;
