import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A strict policy: only the site's own scripts, no `eval`. */
const STRICT = "default-src 'self'; connect-src *; style-src 'self'; script-src 'self'; require-trusted-types-for 'script'";

const APP = `
import { init, replay } from '@tidemark/browser';
const { host, key, options, replayOptions } = JSON.parse(document.querySelector('meta[name=app]').content);
window.client = init(key, { api_host: host, opt_out_useragent_filter: true, features: [replay(replayOptions)], ...options });
`;
const PLAYER = `import { Replayer } from 'rrweb'; window.Replayer = Replayer;`;

export interface ReplaySite {
  url: string;
  /** The page at `/`. */
  page: { html: string; headers: Record<string, string> };
  /** Paths of requested scripts. */
  scripts: string[];
  close(): Promise<void>;
}

/** The page of a strict site that starts the client; `content` is what {@link APP} reads. */
export function strictPage(content: object, body: string): ReplaySite['page'] {
  return {
    headers: { 'content-security-policy': STRICT },
    html: `<!doctype html><html><head><title>Shop</title><meta name="app" content='${JSON.stringify(content)}'>
<link rel="stylesheet" href="/style.css"></head><body>${body}<script type="module" src="/app.js"></script></body></html>`,
  };
}

/** A site with a recorded page: the SDK as bundled, posthog-js as its package ships it, and a player. */
export async function startReplaySite(): Promise<ReplaySite> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-replay-'));
  const resolveDir = dirname(fileURLToPath(import.meta.url));
  const bundle = (name: string, contents: string) =>
    build({
      stdin: { contents, resolveDir, sourcefile: `${name}.js` },
      bundle: true,
      minify: true,
      format: 'esm',
      splitting: true,
      outdir: folder,
      entryNames: name,
      logLevel: 'silent',
    });
  await Promise.all([bundle('app', APP), bundle('player', PLAYER)]);
  const posthog = join(dirname(createRequire(import.meta.url).resolve('posthog-js')), 'module.full.no-external.js');
  const page: ReplaySite['page'] = { html: '', headers: {} };
  const scripts: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    if (pathname.endsWith('.js')) {
      scripts.push(pathname);
      const text = await readFile(pathname === '/posthog.js' ? posthog : join(folder, pathname), 'utf8');
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(text);
    } else if (pathname === '/style.css')
      response.writeHead(200, { 'content-type': 'text/css' }).end('.card { color: rgb(1, 2, 3) }');
    else if (pathname === '/favicon.ico') response.writeHead(204).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers }).end(page.html);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    page,
    scripts,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}
