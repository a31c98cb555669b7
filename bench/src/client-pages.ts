import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An SDK under measurement: how a page loads it, and its calls. */
export interface Library {
  name: string;
  /** Script tags of its page. */
  tags: string;
  /** Expressions in the page. */
  init: string;
  /** Returns the expression that captures an event with these properties. */
  capture(properties: string): string;
}

/** Properties of the measured events, as expressions. */
export const EVENTS = {
  ordinary: `{ plan: 'pro', seats: 12, nested: { a: 1 } }`,
  nested: `{ cart: { total: 129.5, currency: 'EUR', items: Array.from({ length: 5 }, (_, i) =>
    ({ id: 'sku-' + i, name: 'Green tea, 100 g', price: 25.9, options: { size: 'L', gift: false } })) } }`,
} as const;

/** The compared SDKs, each with autocapture on and its rate limits off. */
export const LIBRARIES: readonly Library[] = [
  {
    name: 'tidemark',
    tags: '<script src="/tidemark.js"></script>',
    init: `tidemark.init('tmk_bench', { api_host: location.origin, opt_out_useragent_filter: true, rate_limiting: { events_per_second: 1e9 } })`,
    capture: (properties) => `tidemark.capture('measured', ${properties})`,
  },
  {
    name: 'posthog-js 1.434.18',
    tags: '<script type="module">import posthog from "/posthog.js"; window.posthog = posthog;</script>',
    init: `posthog.init('phc_bench', { api_host: location.origin, opt_out_useragent_filter: true, disable_external_dependency_loading: true,
      rate_limiting: { events_per_second: 1e6, events_burst_limit: 1e9 } })`,
    capture: (properties) => `posthog.capture('measured', ${properties})`,
  },
  {
    name: 'amplitude 2.46.0',
    tags: '<script src="/amplitude.js"></script>',
    init: `amplitude.init('bench', { serverUrl: location.origin + '/2/httpapi', autocapture: { elementInteractions: true }, fetchRemoteConfig: false })`,
    capture: (properties) => `amplitude.track('measured', ${properties})`,
  },
];

const NODES = 2_000;
/** The response to every request; it enables autocapture in SDKs that wait for their remote config. */
const ANSWER = JSON.stringify({
  status: 'Ok',
  code: 200,
  autocapture_opt_out: false,
  supportedCompression: ['gzip-js'],
  siteApps: [],
});

/**
 * Serves a page of 2,000 elements for each SDK, and answers all their requests. Its host is a subdomain, as those of users often are:
 * SDKs search for the widest domain that accepts their cookie.
 */
export async function servePages(): Promise<{ server: Server; url: string }> {
  const { resolve } = createRequire(import.meta.url);
  // the script, and what it loads later
  const ours = fileURLToPath(new URL('../../packages/server/dist/static', import.meta.url));
  const files = new Map([
    ...(await Promise.all((await readdir(ours)).map(async (name) => [`/${name}`, await readFile(join(ours, name))] as const))),
    ['/posthog.js', await readFile(join(dirname(resolve('posthog-js')), 'module.full.no-external.js'))],
    [
      '/amplitude.js',
      await readFile(join(dirname(resolve('@amplitude/analytics-browser/package.json')), 'lib/scripts/amplitude-min.js')),
    ],
  ]);
  const body = `<main>${Array.from({ length: NODES / 4 }, (_, i) => `<div class="card"><p>Text ${i}</p><a href="#${i}">Link</a><button class="btn" id="b${i}" data-n="${i}">Buy</button></div>`).join('')}</main>`;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://bench');
    const file = files.get(pathname);
    const library = LIBRARIES[Number(pathname.slice(1))];
    // without other origins in the process, browsers give time to 5 µs instead of 100
    response.setHeader('cross-origin-opener-policy', 'same-origin').setHeader('cross-origin-embedder-policy', 'require-corp');
    if (file) response.setHeader('content-type', 'text/javascript').end(file);
    else if (library) {
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(`<!doctype html><title>Bench</title>${body}${library.tags}`);
    } else {
      request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(ANSWER));
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  return { server, url: `http://www.bench.localhost:${typeof address === 'object' && address ? address.port : 0}` };
}
