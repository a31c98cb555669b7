import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../kernel/errors.js';

/** A path that some route of the API has, and the check that stands before all its methods. */
interface KnownPath {
  url: string;
  pattern: RegExp;
  /** Those that do something there. */
  methods: Set<string>;
  check: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

const known = new WeakMap<object, KnownPath[]>();

/**
 * Notes that `url` (a route pattern) exists, so that methods that are not noted for it answer 405 after `check` instead of 404.
 * Answers with the methods noted so far, to which others are added.
 */
export function registerPath(app: FastifyInstance, url: string, check: KnownPath['check']): Set<string> {
  const paths = known.get(app.server) ?? [];
  known.set(app.server, paths);
  const former = paths.find((path) => path.url === url);
  if (former) return former.methods;
  const source = url.replace(/\/$/, '').replace(/:(\w+)/g, '(?<$1>[^/]+)');
  const methods = new Set<string>();
  paths.push({ url, pattern: new RegExp(`^${source}/?$`), methods, check });
  return methods;
}

/** The `Allow` header that a 405 must carry (RFC 9110, 15.5.6). */
export function setAllowHeader(reply: FastifyReply, methods: ReadonlySet<string>): void {
  reply.header('allow', [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '));
}

/**
 * Installs what answers when no route fits: 405 on known paths, else 404. Pages of every origin may read both, and their preflights
 * succeed: a browser would report a network failure otherwise.
 */
export function installNotFoundHandler(app: FastifyInstance): void {
  app.setNotFoundHandler(async (request, reply) => {
    allowAllOrigins(reply);
    const path = request.url.split('?')[0] ?? '';
    for (const { pattern, methods, check } of known.get(app.server) ?? []) {
      const match = pattern.exec(path);
      if (!match) continue;
      if (request.method === 'OPTIONS') return allow(request, reply);
      request.params = Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, text]) => [name, decode(text)]));
      await check(request, reply);
      setAllowHeader(reply, methods);
      throw new ApiError('method_not_allowed', `Method "${request.method}" not allowed.`);
    }
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined)
      return allow(request, reply);
    throw new ApiError('not_found', /^\/api(\/|$)/.test(path) ? 'Endpoint not found.' : undefined);
  });
}

/** Lets pages of other origins read the answer; cookies stay out, as credentials are not allowed along. */
export function allowAllOrigins(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
}

function allow(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const wanted = request.headers['access-control-request-headers'];
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
    .header('access-control-allow-headers', typeof wanted === 'string' ? wanted : 'Authorization, Content-Type')
    .header('access-control-max-age', '86400')
    .send();
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
