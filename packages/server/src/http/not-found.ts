import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../kernel/errors.js';
import { html } from './html.js';
import { messagePage } from './page/document.js';
import { sendPage } from './page/send-page.js';

/** A path of the API, and the check that all its methods share. */
export interface ApiPath {
  url: string;
  pattern: RegExp;
  /** The methods with a route. */
  methods: Set<string>;
  check: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/**
 * Registers a path, so that methods without a route answer 405 after `check` instead of 404.
 * @param url a route pattern
 * @returns the set of the path's methods, to which the caller adds its own
 */
export function registerPath(app: FastifyInstance, url: string, check: ApiPath['check']): Set<string> {
  const registered = app.apiPaths.find((path) => path.url === url);
  if (registered) return registered.methods;
  const source = url.replace(/\/$/, '').replace(/:(\w+)/g, '(?<$1>[^/]+)');
  const methods = new Set<string>();
  app.apiPaths.push({ url, pattern: new RegExp(`^${source}/?$`), methods, check });
  return methods;
}

/** The `Allow` header that a 405 must carry (RFC 9110, 15.5.6). */
export function setAllowHeader(reply: FastifyReply, methods: ReadonlySet<string>): void {
  reply.header('allow', [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '));
}

/**
 * Answers requests without a route: 405 on paths of the API, else 404, which is a page for browsers and JSON for clients of the API. Pages of every origin may read both, and their preflights
 * succeed: a browser would report a network failure otherwise.
 */
export function installNotFoundHandler(app: FastifyInstance): void {
  app.setNotFoundHandler(async (request, reply) => {
    allowAllOrigins(reply);
    const path = request.url.split('?')[0] ?? '';
    for (const { pattern, methods, check } of app.apiPaths) {
      const match = pattern.exec(path);
      if (!match) continue;
      if (request.method === 'OPTIONS') return answerPreflight(request, reply);
      request.params = Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, text]) => [name, decode(text)]));
      await check(request, reply);
      setAllowHeader(reply, methods);
      throw new ApiError('method_not_allowed', `Method "${request.method}" not allowed.`);
    }
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined)
      return answerPreflight(request, reply);
    const isApi = /^\/api(\/|$)/.test(path);
    if (!isApi && acceptsHtml(request)) return sendMissingPage(request, reply);
    throw new ApiError('not_found', isApi ? 'Endpoint not found.' : undefined);
  });
}

/** Whether a request is of a browser that opens an address: other clients do not accept HTML by name. */
export const acceptsHtml = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '');

/** The page for an address where there is nothing. */
export function sendMissingPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const nonce = request.id;
  const body = messagePage(nonce, 'Page not found', 'There is nothing at this address.', html`<p><a href="/">Start page</a></p>`);
  return sendPage(request, reply, { status: 404, type: 'text/html; charset=utf-8', body, nonce });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Lets pages of every origin read the response. Browsers send no cookies along, because credentials are not allowed. */
export function allowAllOrigins(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
}

/** Allows what a preflight requests. */
function answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const requested = request.headers['access-control-request-headers'];
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
    .header('access-control-allow-headers', typeof requested === 'string' ? requested : 'Authorization, Content-Type')
    .header('access-control-max-age', '86400')
    .send();
}
