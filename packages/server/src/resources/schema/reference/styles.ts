import { BASE_STYLES, tokenStyles } from '../../../http/page/page-styles.js';

/** The style sheet of the reference: operations at the left, words in the middle, code at the right; one column on phones. */
export const STYLES = `
${tokenStyles('system')}
${BASE_STYLES}
html{scroll-padding-top:64px}
body{background:var(--surface);line-height:1.5}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:4px}
[hidden]{display:none!important}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;z-index:3;background:var(--surface);padding:8px}
header{position:sticky;top:0;z-index:2;display:flex;align-items:center;justify-content:space-between;gap:16px;height:52px;padding:0 24px;background:var(--surface);border-bottom:1px solid var(--border)}
.mark{margin:0;font-size:16px}
.key{display:flex;align-items:center;gap:8px;min-width:0;color:var(--text-2);font-size:12px}
input,textarea{min-width:0;width:100%;padding:5px 8px;border:1px solid var(--border-input);border-radius:6px;background:var(--surface);color:inherit;font:13px/1.4 var(--mono)}
.key input{width:220px}
.panes{display:grid;grid-template-columns:264px minmax(0,1fr)}
nav{position:sticky;top:52px;height:calc(100vh - 52px);overflow-y:auto;padding:12px;background:var(--bg);border-right:1px solid var(--border);font-size:13px}
nav input{margin-bottom:8px;font-family:inherit}
nav ul{margin:0 0 8px;padding:0;list-style:none}
nav summary{padding:4px 8px;border-radius:6px;font-weight:520;cursor:pointer}
nav a{display:flex;gap:8px;align-items:baseline;padding:3px 8px;border-radius:6px;color:var(--text-2);text-decoration:none}
nav a:hover,nav summary:hover{background:var(--hover)}
nav a[aria-current]{background:var(--accent-soft);color:var(--text)}
nav .method{flex:0 0 44px;font-size:10px}
.method{font:600 11px/1.4 var(--mono);color:var(--warn)}
.method.get{color:var(--accent-text)}.method.post{color:var(--good)}.method.delete{color:var(--bad)}
main{min-width:0;padding:24px;overflow-wrap:anywhere}
h1{margin:0 0 8px;font-size:28px;line-height:1.2;font-weight:620}h1 small{color:var(--text-3);font-size:14px;font-weight:420}
h2{margin:0;font-size:20px;line-height:1.3;font-weight:620}h2 a{color:inherit;text-decoration:none}h2 a:hover{text-decoration:underline}
h3{margin:24px 0 8px;font-size:13px;font-weight:620}
.about{max-width:76ch}.about h3{font-size:16px}
.groups dt{margin-top:12px;font-weight:520}.groups dd,.fields dd{margin:0}.groups dd{max-width:76ch;color:var(--text-2)}
.operation{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,440px);gap:0 32px;margin-top:32px;padding-top:32px;border-top:1px solid var(--border)}
.code{position:sticky;top:76px;align-self:start;max-height:calc(100vh - 100px);overflow-y:auto}
.code h3:first-child{margin-top:0}
.address{margin:4px 0 12px;color:var(--text-2)}
code,pre,output{font:12.5px/1.5 var(--mono)}
.words p code,.about code{padding:1px 4px;border-radius:4px;background:var(--sunken)}
.address code,.words .limits code{padding:0;background:none}
.type,.limits,.required{color:var(--text-3);font-size:12px;font-weight:420}.required{color:var(--warn)}
.words p{margin:0 0 8px}.words .limits{margin:0 0 4px}
.fields{margin:0;border-top:1px solid var(--border)}
.fields dt{padding-top:8px}.fields dd{padding-bottom:8px;border-bottom:1px solid var(--border);color:var(--text-2)}
.fields dd p{margin:0}
.fields .fields{margin:8px 0 0 4px;padding-left:12px;border-top:0;border-left:1px solid var(--border)}.fields .fields dd:last-child{border:0}
summary{cursor:pointer}.fields summary,.response summary{color:var(--text-2)}.fields summary{width:fit-content;font-size:12px;color:var(--accent-text)}
.response{padding:4px 0}.response .fields{margin-top:8px}
.errors{margin:4px 0 0;padding:0;list-style:none;color:var(--text-2)}.errors b{display:inline-block;min-width:32px;color:var(--text)}
pre,output{display:block;margin:0;padding:12px;overflow:auto;border:1px solid var(--border);border-radius:8px;background:var(--sunken);white-space:pre-wrap}
.code pre{max-height:360px}
.samples{display:grid;grid-template-columns:auto auto 1fr;gap:8px 12px;align-items:center}
.samples>input{position:absolute;width:1px;height:1px;opacity:0}
.samples label{padding:2px 0;color:var(--text-3);font-size:12px;cursor:pointer}
.samples :checked+label{color:var(--text);box-shadow:0 2px 0 var(--accent)}
.samples :focus-visible+label{outline:2px solid var(--focus);outline-offset:2px}
.samples pre{grid-column:1/-1;display:none}
.samples .curl:checked~pre.curl,.samples .javascript:checked~pre.javascript{display:block}
button{height:26px;padding:0 10px;border:1px solid var(--border);border-radius:6px;background:var(--surface);color:inherit;font:inherit;font-size:12px;cursor:pointer}button:hover{background:var(--hover)}
.copy{justify-self:end}
.try{margin-top:12px}.try form{display:grid;gap:4px;margin:8px 0}.try label{color:var(--text-2);font-size:12px}.try button{justify-self:start;margin-top:8px}.try output:empty{display:none}
.try output{max-height:360px}
@media(max-width:1100px){.operation{display:block}.code{position:static;max-height:none;margin-top:16px}}
@media(max-width:760px){
header{padding:0 16px}.key span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.key input{width:170px}main{padding:16px}
.panes{display:block}nav{position:static;height:auto;max-height:50vh;border-right:0;border-bottom:1px solid var(--border)}
nav a,nav summary{padding-top:9px;padding-bottom:9px}button,.samples label{min-height:44px}
}
@media print{nav,.key,.try,.copy{display:none!important}.panes,.operation{display:block}.code{position:static;max-height:none}}
`;
