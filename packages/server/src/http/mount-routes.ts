import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.js';
import { allowAllOrigins, registerPath, setAllowHeader } from './not-found.js';
import { registerOperation } from './openapi/operation.js';
import { requireJsonAccepted } from './response.js';
import type { AnyRoute, Guard } from './route.js';
import { type GuardedContext, runRoute } from './run-route.js';

/**
 * Mounts a table of routes under each prefix, and adds them to the API's description. Other methods on the same paths answer 405 after
 * the guard.
 */
export function mountRoutes<Ctx extends GuardedContext>(
  app: FastifyInstance,
  deps: Deps,
  prefixes: readonly string[],
  guard: Guard<Ctx>,
  routes: readonly AnyRoute<Ctx>[],
): void {
  for (const prefix of prefixes) {
    for (const route of routes) {
      registerRouteOperation(app, prefix, route);
      const methods = registerPath(app, prefix + route.path, (request, reply) =>
        guard({ deps, request, reply }, { scope: route.scope === null ? null : 'any', path: route.path }),
      );
      if (route.status !== 405) methods.add(route.method);
      const isJson = !route.mediaType && !route.otherMediaType;
      app.route({
        method: route.method,
        url: prefix + route.path,
        config: { scope: route.scope, summary: route.summary },
        onRequest: [setResponseHeaders, ...(isJson ? [requireJsonAccepted] : [])],
        handler: (request, reply) => {
          if (route.status === 405) setAllowHeader(reply, methods);
          return runRoute(guard, route, { deps, request, reply });
        },
      });
    }
  }
}

/** Responses are per caller: some proxies cache responses without explicit headers. */
async function setResponseHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  allowAllOrigins(reply);
  reply.headers({ 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' });
}

const NO_BODY: ReadonlySet<number> = new Set([204, 302, 405]);

function registerRouteOperation<Ctx>(app: FastifyInstance, prefix: string, route: AnyRoute<Ctx>): void {
  const {
    method,
    path,
    scope,
    summary,
    description,
    params,
    query,
    describedBody,
    body = describedBody,
    status,
    response,
    mediaType,
    otherMediaType,
    errors = [],
    responses = {},
  } = route;
  const schema = NO_BODY.has(status) ? null : response;
  const hasSegments = path.includes('/:');
  registerOperation(app, route, {
    method,
    urls: [prefix + path],
    access: scope,
    summary,
    description,
    params,
    query,
    body,
    responses: {
      ...responses,
      [status]: {
        ...(schema === undefined ? {} : { schema }),
        ...(mediaType ? { mediaType } : {}),
        ...(otherMediaType ? { otherMediaType } : {}),
      },
    },
    errorStatuses: [...(query || body ? [400] : []), ...(hasSegments || prefix.includes('/:') ? [404] : []), ...errors].filter(
      (error) => !(error in responses),
    ),
  });
}
