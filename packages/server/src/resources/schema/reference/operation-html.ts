import { type Html, html } from '../../../http/html.js';
import type { Json } from '../../../kernel/json.js';
import { markdown } from '../../public/index.js';
import type { ApiDocument, ApiOperation, ApiParameter } from './document.js';
import { exampleOf } from './example.js';
import { fieldsHtml, typeText, withCode } from './schema-html.js';

/** The section of one operation: what it does and its fields at the left, requests and responses as code at the right. */
export function operationHtml(operation: ApiOperation, { resolve }: ApiDocument): Html {
  const { id, method, path, summary, description, parameters, body, responses } = operation;
  const successes = responses.filter(({ status }) => status < '400');
  const example = body ? exampleOf(body.schema, resolve) : undefined;
  const errors = responses.filter(({ status }) => status >= '400');
  return html`
<section class="operation" id="${id}" aria-labelledby="${id}-title ${id}-address" data-method="${method}" data-path="${path}">
<div class="words">
<h2 id="${id}-title"><a href="#${id}">${withCode(summary)}</a></h2>
<p class="address" id="${id}-address"><b class="method ${method.toLowerCase()}">${method}</b> <code>${breakable(path)}</code></p>
${markdown(description, 3)}
${parametersHtml('Path parameters', parameters, 'path', resolve)}
${parametersHtml('Query parameters', parameters, 'query', resolve)}
${body && html`<h3>Body <span class="type">${body.mediaType}</span></h3>${fieldsHtml(body.schema, resolve)}`}
<h3>Responses</h3>
${successes.map(
  ({ status, description: about, mediaType, schema }) =>
    html`<details class="response"><summary><b>${status}</b> ${withCode(about)}${mediaType && html` <span class="type">${mediaType}</span>`}</summary>${
      schema && fieldsHtml(schema, resolve)
    }</details>`,
)}
${errors.length > 0 && html`<ul class="errors">${errors.map(({ status, description: about }) => html`<li><b>${status}</b> ${withCode(about)}</li>`)}</ul>`}
</div>
<div class="code">
${samplesHtml(operation, example)}
${tryHtml(operation, example)}
${successes.map(
  ({ status, mediaType, schema }) =>
    mediaType === 'application/json' &&
    schema !== null &&
    html`<h3>Response ${status}</h3><pre tabindex="0"><code>${pretty(exampleOf(schema, resolve, { whole: true }))}</code></pre>`,
)}
</div>
</section>`;
}

function parametersHtml(
  title: string,
  all: readonly ApiParameter[],
  place: ApiParameter['place'],
  resolve: ApiDocument['resolve'],
): Html | null {
  const parameters = all.filter((parameter) => parameter.place === place);
  if (parameters.length === 0) return null;
  return html`<h3>${title}</h3><dl class="fields">${parameters.map(
    ({ name, isRequired, description, schema }) =>
      html`<dt><code>${name}</code> <span class="type">${typeText(schema, resolve)}</span>${
        isRequired && place === 'query' && html` <span class="required">required</span>`
      }</dt><dd>${markdown(description)}${
        schema['default'] !== undefined && html`<p class="limits">default <code>${JSON.stringify(schema['default'])}</code>.</p>`
      }</dd>`,
  )}</dl>`;
}

/** The origin in samples until the script replaces it with the service's own. */
const ORIGIN = html`<span data-origin>https://tidemark.example.com</span>`;
const KEY = html`<span data-key>&lt;PERSONAL_API_KEY&gt;</span>`;

/** The request as a curl command and as JavaScript. The script fills in what the reader types. */
function samplesHtml(
  { id, method, path, needsCredentials, parameters, body: hasBody }: ApiOperation,
  body: Json | undefined,
): Html {
  const address = html`${ORIGIN}${pathHtml(path, parameters)}<span data-query></span>`;
  const json = pretty(body ?? null);
  const curl = html`curl ${method !== 'GET' && html`-X ${method} `}"${address}"${
    needsCredentials && html` \\\n  -H "Authorization: Bearer ${KEY}"`
  }${hasBody && html` \\\n  -H "Content-Type: application/json" \\\n  -d '<span data-body="shell">${json.replaceAll("'", `'\\''`)}</span>'`}`;
  const headers = [
    needsCredentials && html`Authorization: 'Bearer ${KEY}'`,
    hasBody && html`'Content-Type': 'application/json'`,
  ].filter((header) => header !== false && header !== null);
  const options = [
    method !== 'GET' && html`  method: '${method}',\n`,
    headers.length > 0 && html`  headers: { ${headers.map((header, i) => html`${i > 0 && ', '}${header}`)} },\n`,
    hasBody && html`  body: JSON.stringify(<span data-body="json">${json.replaceAll('\n', '\n  ')}</span>),\n`,
  ].filter((option) => option !== false && option !== null);
  const javascript = html`const response = await fetch('${address}'${options.length > 0 && html`, {\n${options}}`});`;
  const tab = (name: string, title: string, isFirst: boolean) =>
    html`<input type="radio" name="${id}-sample" id="${id}-${name}" class="${name}"${isFirst && html` checked`}><label for="${id}-${name}">${title}</label>`;
  return html`<div class="samples">${tab('curl', 'curl', true)}${tab('javascript', 'JavaScript', false)}<button type="button" class="copy" hidden>Copy</button>
<pre tabindex="0" class="curl" aria-label="The request with curl"><code>${curl}</code></pre>
<pre tabindex="0" class="javascript" aria-label="The request in JavaScript"><code>${javascript}</code></pre></div>`;
}

/** Sends the request from the page; without script it stays hidden. */
function tryHtml({ id, parameters, body: hasBody }: ApiOperation, body: Json | undefined): Html {
  return html`<details class="try" hidden><summary>Try it</summary><form>${parameters.map(
    ({ name, place, isRequired, schema, example }) =>
      html`<label for="${id}-${place}-${name}">${name}</label><input id="${id}-${place}-${name}" name="${name}" data-place="${place}" autocomplete="off" spellcheck="false" value="${
        place === 'path' ? valueInPath(name, example) : ''
      }" placeholder="${schema['default'] === undefined ? '' : String(schema['default'])}"${isRequired && html` required`}>`,
  )}${hasBody && html`<label for="${id}-body">Body</label><textarea id="${id}-body" name="body" rows="8" spellcheck="false">${pretty(body ?? null)}</textarea>`}
<button>Send the request</button></form><output></output></details>`;
}

/** The path with its parameters as spans that the script can fill in. */
const pathHtml = (path: string, parameters: readonly ApiParameter[]): Html =>
  html`${path.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (!name) return part;
    const example = parameters.find((parameter) => parameter.name === name)?.example ?? '';
    return html`<span data-param="${name}">${valueInPath(name, example)}</span>`;
  })}`;

/** The current project or organization works for every reader. */
const valueInPath = (name: string, example: string): string =>
  name === 'project_id' || name === 'organization_id' ? '@current' : example || `{${name}}`;

/** A path that may break before each slash. */
const breakable = (path: string): Html => html`${path.split(/(?=\/)/).map((part) => html`<wbr>${part}`)}`;

const pretty = (value: Json): string => JSON.stringify(value, null, 2);
