/** The reference page. Its Content-Security-Policy allows only files of this service, nothing inline. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tidemark API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="page.css">
</head>
<body>
<div id="reference"></div>
<noscript><p>This page needs JavaScript. The same in one file: <a href="../?format=json">openapi.json</a>.</p></noscript>
<script src="swagger-ui-bundle.js"></script>
<script src="page.js"></script>
</body>
</html>
`;

export const PAGE_SCRIPT = `'use strict';
SwaggerUIBundle({
  // whole, because the page shows it
  url: new URL('../?format=json', location.href).href,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  defaultModelRendering: 'model',
  displayRequestDuration: true,
  // a key that is typed in is gone with the page
  persistAuthorization: false,
  syntaxHighlight: { activated: true, theme: 'idea' },
});
`;

// error responses take one line each: the description at the top of the page shows their common body
export const PAGE_STYLE = `
:root { --ink: #1c2733; --quiet: #5b6b7b; --line: #e3e8ee; --accent: #0b6e8a; }
body { margin: 0; background: #fff; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description,
.swagger-ui .btn, .swagger-ui table thead tr td, .swagger-ui table thead tr th, .swagger-ui .opblock-description-wrapper p,
.swagger-ui .parameter__name, .swagger-ui .response-col_status, .swagger-ui .markdown p, .swagger-ui .renderedMarkdown p,
.swagger-ui section.models h4, .swagger-ui .model-title, .swagger-ui .tab li
{ font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; color: var(--ink); }
.swagger-ui .wrapper { max-width: 1120px; }
.swagger-ui .info { margin: 40px 0 16px; }
.swagger-ui .info .title { font-size: 30px; }
.swagger-ui .info .title small { background: var(--quiet); }
.swagger-ui .info .title small.version-stamp { background: var(--accent); }
.swagger-ui .info a { color: var(--accent); }
.swagger-ui .info .description .renderedMarkdown { margin-top: 16px; }
.swagger-ui .info .description p { font-size: 14px; line-height: 1.5; margin: 0 0 12px; }
.swagger-ui .info .description h2 { font-size: 15px; font-weight: 600; margin: 0 0 4px; break-after: avoid; }
@media (min-width: 900px) {
  .swagger-ui .info .description .renderedMarkdown { columns: 2; column-gap: 48px; }
  .swagger-ui .info .description .renderedMarkdown > p:first-child { column-span: all; }
}
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code
{ color: var(--accent); background: #f1f6f8; padding: 1px 4px; font-size: 12.5px; font-weight: 500; }
.swagger-ui .info__license { display: none; }
.swagger-ui .scheme-container { box-shadow: none; padding: 0 0 8px; background: none; }
.swagger-ui .scheme-container .schemes > .schemes-server-container { display: none; }
.swagger-ui .scheme-container .schemes { justify-content: flex-end; }
.swagger-ui .filter .operation-filter-input { border: 1px solid var(--line); border-radius: 6px; margin: 0; padding: 10px 12px; }
.swagger-ui .opblock-tag { font-size: 17px; font-weight: 600; border-bottom: 1px solid var(--line); padding: 12px 4px; }
.swagger-ui .opblock-tag small { font-size: 13.5px; color: var(--quiet); }
.swagger-ui .opblock { box-shadow: none; border-radius: 6px; margin: 0 0 8px; }
.swagger-ui .opblock .opblock-summary-method { border-radius: 4px; font-size: 12px; min-width: 68px; padding: 6px 0; }
.swagger-ui .opblock .opblock-summary-path { font-size: 13.5px; }
.swagger-ui .opblock .opblock-summary-description { font-size: 13.5px; color: var(--quiet); }
.swagger-ui .opblock .opblock-section-header { box-shadow: none; border-top: 1px solid var(--line); }
.swagger-ui .response[data-code^="4"] .model-example, .swagger-ui .response[data-code^="4"] .response-controls { display: none; }
.swagger-ui table.responses-table th:last-child, .swagger-ui .response-col_links { display: none; }
`;

export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
