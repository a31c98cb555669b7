/** The reference page: everything it needs comes from this service, and nothing is inline. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tidemark API</title>
<link rel="icon" href="icon.png" sizes="32x32">
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
  url: '../?format=json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  defaultModelRendering: 'model',
  displayRequestDuration: true,
  persistAuthorization: false,
  syntaxHighlight: { activated: true, theme: 'idea' },
});
`;

export const PAGE_STYLE = `
body { margin: 0; background: #fff; }
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
