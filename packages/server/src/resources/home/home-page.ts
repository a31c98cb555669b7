import { type Html, html } from '../../http/html.js';
import { pageDocument, wordmark } from '../../http/page/document.js';
import { BASE_STYLES, tokenStyles } from '../../http/page/page-styles.js';

export interface HomeState {
  version: string;
  stores: { postgres: StoreState; events: StoreState };
  /** Whether a first account exists; null: unknown. */
  hasAccount: boolean | null;
  /** The key of the visitor's current project; null: they are not logged in. */
  projectKey: string | null;
}

interface StoreState {
  ok: boolean;
  version: string | null;
}

export interface HomeOptions {
  nonce: string;
  /** Address under which visitors reach the service. */
  origin: string;
  /** Address of the script of the page; null: it is not built. */
  script: string | null;
}

/** The home page: state of the service, how to send the first event, and where to go on. */
export const homePage = (state: HomeState, { nonce, origin, script }: HomeOptions): string =>
  pageDocument({
    title: 'Tidemark',
    nonce,
    styles: `${tokenStyles('system')}${BASE_STYLES}${STYLES}`,
    head: script === null ? null : html`<script type="module" nonce="${nonce}" src="${script}"></script>`,
    body: html`<header class="bar"><div>${wordmark(null)}<p>Version ${state.version}</p></div></header>
<main><div class="steps"><h1>${isRunning(state) ? 'Tidemark is running' : 'Tidemark has a problem'}</h1>
${state.hasAccount === false && signUp(origin)}${keyStep(state, origin)}
${snippet('html', 'Put this before </body> of every page', htmlSnippet(origin, state.projectKey), 'It sends page views and clicks. Your address is filled in.')}
${snippet('curl', 'Or send one event from anywhere', curlSnippet(origin, state.projectKey), '')}</div>
<div class="side">${waiting(state)}${stores(state)}${links}</div></main>`,
  });

const isRunning = ({ stores }: HomeState): boolean => stores.postgres.ok && stores.events.ok;

const placed = (key: string | null): Html => html`<span data-key-place>${key ?? '<project key>'}</span>`;

const htmlSnippet = (origin: string, key: string | null): Html =>
  html`&lt;script async src="${origin}/static/tidemark.js" data-api-key="${placed(key)}"&gt;&lt;/script&gt;`;

const curlSnippet = (origin: string, key: string | null): Html =>
  html`curl "${origin}/capture/" -H 'Content-Type: application/json' \\
  -d '{"api_key": "${placed(key)}", "event": "signed up", "distinct_id": "user-1"}'`;

const signUp = (origin: string): Html =>
  snippet(
    'signup',
    'Make the first account',
    html`curl "${origin}/api/signup/" -c cookies.txt -H 'Content-Type: application/json' \\
  -d '{"email": "you@example.com", "password": "&lt;a long password&gt;", "first_name": "You", "organization_name": "Your company"}'`,
    'It owns this server.',
  );

function keyStep({ projectKey }: HomeState, origin: string): Html {
  if (projectKey !== null)
    return snippet('project-key', 'Your project key', html`${projectKey}`, 'It is public: pages and apps contain it.');
  const lookUp = html`curl "${origin}/api/projects/@current/" -H "Authorization: Bearer &lt;personal API key&gt;"`;
  return html`${snippet('look-up', 'Find your project key', lookUp, 'The project key, tmk_…, is api_token in the answer.')}
<section data-script hidden><label for="key">Project key</label><input id="key" placeholder="tmk_…" autocomplete="off" spellcheck="false" maxlength="64">
<p class="help">It goes into the snippets below and stays in this page.</p></section>`;
}

const snippet = (id: string, title: string, code: Html, help: string): Html =>
  html`<section><div class="top"><h2>${title}</h2><button type="button" data-copy="${id}" data-script hidden>Copy<span class="hidden"> ${title}</span></button></div>
<pre tabindex="0"><code id="${id}">${code}</code></pre>${help && html`<p class="help">${help}</p>`}</section>`;

const waiting = ({ projectKey }: HomeState): Html =>
  html`<section class="box waiting" id="waiting" data-state="idle"${projectKey !== null && html` data-key="${projectKey}"`} data-script hidden><i aria-hidden="true"></i>
<div role="status"><h2 id="waiting-title">Waiting for a project key</h2><p id="waiting-detail">Paste it on this page.</p></div>
<button type="button" id="test" disabled>Send a test event</button></section>`;

function stores({ stores: { postgres, events } }: HomeState): Html {
  const row = (name: string, { ok, version }: StoreState) =>
    html`<li><b>${name}</b> ${ok ? html`<span class="ok">${version ?? ''}, answers</span>` : html`<span class="bad">does not answer</span>`}</li>`;
  return html`<section class="box"><h2>Stores</h2><ul>${row('PostgreSQL', postgres)}${row('ClickHouse', events)}</ul></section>`;
}

const links = html`<section class="box"><h2>After this</h2><ul>
<li><a href="/api/schema/ui/">API reference</a><span>Every operation, with its fields and errors</span></li>
<li><a href="/api/schema/?format=json">openapi.json</a><span>The same for programs</span></li>
<li><a href="/_health">Health</a><span>Stores, disk and ingestion, for monitoring</span></li>
<li><b>Guides</b><span>Install, libraries, API and operation: docs/README.md in the repository</span></li></ul></section>`;

const STYLES = `
main{display:grid;grid-template-columns:minmax(0,1.1fr) minmax(0,1fr);gap:24px;align-items:start;max-width:1248px;margin:0 auto;padding:24px}
h1{font-size:20px}
h2{margin:0;font-size:14px;font-weight:620;line-height:1.35}
section{margin-top:24px}
.side section:first-child{margin-top:0}.side section+section,.side [hidden]+section{margin-top:12px}.side [hidden]+section{margin-top:0}
.top{display:flex;align-items:center;gap:12px;min-height:32px;margin-bottom:4px}.top h2{margin-right:auto}
pre{margin:0;padding:12px 14px;overflow:auto;background:var(--sunken);border:1px solid var(--border);border-radius:8px;font:12px/1.6 var(--mono);white-space:pre-wrap;overflow-wrap:anywhere}
.help,.box p,.box li span{margin:6px 0 0;color:var(--text-2);font-size:12px}
label{display:block;margin-bottom:4px;color:var(--text-2);font-size:12px;font-weight:520}
input{width:100%;height:32px;padding:0 10px;font:12px var(--mono);color:var(--text);background:var(--surface);border:1px solid var(--border-input);border-radius:6px}
input::placeholder{color:var(--text-3)}
button{height:28px;padding:0 12px;font:inherit;font-size:12px;font-weight:520;white-space:nowrap;color:var(--text);background:var(--surface);border:1px solid var(--border-strong);border-radius:6px;cursor:pointer}
button:hover{background:var(--hover)}
button:disabled{color:var(--text-3);cursor:default}
.box{padding:16px;background:var(--surface);border:1px solid var(--border);border-radius:8px;box-shadow:var(--shadow-card)}
.box ul{margin:8px 0 0;padding:0;list-style:none}
.box li{padding:8px 0;border-top:1px solid var(--border);font-size:13px}
.box li b{font-weight:520}.box li span{display:block;margin:1px 0 0}
.box li .ok{color:var(--good)}.box li .bad{color:var(--bad)}
.waiting:not([hidden]){display:flex;gap:14px;align-items:center}
.waiting div{flex:1 1 190px;min-width:0}.waiting p{margin:2px 0 0}
.waiting i{flex:none;width:12px;height:12px;border:2px solid var(--text-3);border-radius:50%}
.waiting[data-state=waiting] i{border-color:var(--accent);animation:pulse 1.6s infinite}
.waiting[data-state=fault] i{border-color:var(--bad)}
.waiting[data-state=arrived]{background:var(--good-soft);border-color:var(--good)}
.waiting[data-state=arrived] :is(h2,p){color:var(--good)}
.waiting[data-state=arrived] i{background:var(--good);border-color:var(--good)}
@keyframes pulse{0%{box-shadow:0 0 0 0 var(--accent-line)}70%,100%{box-shadow:0 0 0 8px transparent}}
@media (prefers-reduced-motion:reduce){.waiting i{animation:none!important}}
@media (max-width:860px){main{grid-template-columns:minmax(0,1fr);padding:16px;gap:12px}.side{order:0}}
@media (max-width:480px){.waiting:not([hidden]){flex-wrap:wrap}}
@media (pointer:coarse){button,input{height:44px}}
`;
