import { type Html, html } from '../../../http/html.js';
import { ICON, wordmark } from '../../../http/page/document.js';
import { markdown } from '../../public/index.js';
import type { ApiDocument } from './document.js';
import { operationHtml } from './operation-html.js';
import { withCode } from './schema-html.js';

/** Its Content-Security-Policy allows only files of this service, nothing inline. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The first page of the reference: how the API works, and its groups of operations. `script`: address of the script, null without one. */
export const startHtml = (document: ApiDocument, script: string | null): Html =>
  pageHtml(
    { document, script },
    null,
    html`<h1>Tidemark API <small>${document.version}</small></h1>
<div class="about">${markdown(withoutLineBreaks(document.description))}</div>
<p>The same as one file: <a href="../?format=json">openapi.json</a>.</p>
<h2>Operations</h2>
<dl class="groups">${document.tags.map(
      ({ name, slug, description, operations }) =>
        html`<dt><a href="${slug}">${name}</a> <span class="type">${operations.length}</span></dt><dd>${withCode(description)}</dd>`,
    )}</dl>`,
  );

/** The page of one group of operations. */
export const groupHtml = (document: ApiDocument, group: ApiDocument['tags'][number], script: string | null): Html =>
  pageHtml(
    { document, script },
    group,
    html`<h1>${group.name}</h1><p class="about">${withCode(group.description)}</p>${group.operations.map((operation) => operationHtml(operation, document))}`,
  );

function pageHtml(
  { document, script }: { document: ApiDocument; script: string | null },
  group: ApiDocument['tags'][number] | null,
  content: Html,
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${group && `${group.name} · `}Tidemark API</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="page.css">
${script && html`<script type="module" src="../../..${script}"></script>`}
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header>
${wordmark('./')}
<label class="key" hidden><span>Your API key</span><input type="password" id="key" placeholder="tms_…" autocomplete="off" spellcheck="false"></label>
</header>
<div class="panes">
<nav aria-label="Operations">
<input type="search" id="search" placeholder="Search operations and paths" aria-label="Search operations and paths" autocomplete="off" spellcheck="false" hidden>
<p id="nothing" role="status" hidden>No operation has all of these words.</p>
${document.tags.map(
  ({ name, slug, operations }) =>
    html`<details class="group"${group?.slug === slug && html` open`}><summary>${name}</summary><ul>${operations.map(
      ({ id, method, path, summary }) =>
        html`<li><a href="${slug}#${id}" data-find="${`${summary} ${method} ${path} ${name}`.toLowerCase()}"><b class="method ${method.toLowerCase()}">${method}</b> <span>${withCode(summary)}</span></a></li>`,
    )}</ul></details>`,
)}
</nav>
<main id="content">${content}</main>
</div>
</body>
</html>
`;
}

/** Paragraphs of the description are wrapped for its source; Markdown here shows each line break. */
const withoutLineBreaks = (text: string): string =>
  text.replace(/([^\n])\n(?=[^\n])/g, (whole, before: string, at: number) =>
    /^#/.test(text.slice(text.lastIndexOf('\n', at) + 1)) ? whole : `${before} `,
  );
