import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Site, SitePage } from '../browser-site.js';

/** A web site that forwards requests below one path to the service. */
export interface ProxiedSite extends Site {
  /** Forwarded paths, as the page requested them. */
  proxied: string[];
  /** Paths that the site answered itself. */
  own: string[];
}

/** Serves one page on every path but those below `prefix`, such as `/t`. */
export async function startProxiedSite(pageOf: () => SitePage, prefix: string, target: string): Promise<ProxiedSite> {
  const proxied: string[] = [];
  const own: string[] = [];
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    if (path.startsWith(`${prefix}/`)) {
      proxied.push(path);
      return forward(target + path.slice(prefix.length), incoming, response);
    }
    own.push(path);
    const { html, headers } = pageOf();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    proxied,
    own,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function forward(url: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { host: _, ...headers } = incoming.headers;
  const onward = request(url, { method: incoming.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
}
