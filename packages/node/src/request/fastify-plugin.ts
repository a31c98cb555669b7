import type { NodeClient } from '../node-client.js';
import { captureRouteError, type MiddlewareRequest, withRequest } from './request-middleware.js';

type Done = (error?: Error) => void;

/** What is needed of a Fastify instance. */
export interface FastifyLike {
  addHook(name: 'onRequest' | 'preValidation', hook: (request: MiddlewareRequest, reply: unknown, done: Done) => void): unknown;
  addHook(name: 'onError', hook: (request: MiddlewareRequest, reply: unknown, error: Error, done: () => void) => void): unknown;
}

/**
 * A Fastify plugin: events of a request belong to the person and session that its tracing headers name, and
 * errors of routes (not refusals below 500) are captured.
 *
 * @example
 * await app.register(fastifyPlugin(analytics));
 */
export function fastifyPlugin(client: NodeClient): (instance: FastifyLike, options: unknown, done: () => void) => void {
  const plugin = (instance: FastifyLike, _options: unknown, done: () => void) => {
    const inside = (request: MiddlewareRequest, _reply: unknown, next: Done) => withRequest(client, request, () => next());
    instance.addHook('onRequest', inside);
    // `end` of the body is emitted outside of the async context of the request
    instance.addHook('preValidation', inside);
    instance.addHook('onError', (request, _reply, error, next) => {
      captureRouteError(client, error, request, 'fastify.on_error');
      next();
    });
    done();
  };
  // the hooks apply to all routes, not only to those of this plugin
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}
