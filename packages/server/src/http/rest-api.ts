import type { FastifyInstance } from 'fastify';
import { Counter, Histogram } from 'prom-client';
import type { Deps } from '../deps.js';
import type { Scheduler } from '../ports/system.js';
import { keepBodiesRaw } from './body.js';
import { installErrorHandler } from './error-handler.js';
import { type ApiPath, installNotFoundHandler } from './not-found.js';
import type { Operation } from './openapi/operation.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The paths of the mounted route tables. */
    apiPaths: ApiPath[];
    /** The operations of the API's description, by their rows in the route tables. */
    apiOperations: Map<object, Operation>;
  }
}

/** Prepares an application for the route tables of the REST API: bodies, errors, and paths without a route. */
export function installRestApi(app: FastifyInstance, scheduler: Scheduler): void {
  app.decorate('apiPaths', []);
  app.decorate('apiOperations', new Map<object, Operation>());
  keepBodiesRaw(app, scheduler);
  installErrorHandler(app);
  installNotFoundHandler(app);
}

/**
 * Writes one log line per request and measures it. Both name the pattern of the route, because addresses and queries can contain keys.
 * The histogram has no label for the status: one histogram per status and route would make `/metrics` many megabytes, which block the
 * event loop whenever they are read.
 */
export function observeRequests(app: FastifyInstance, deps: Deps): void {
  const registers = [deps.metrics];
  const requests = new Counter({
    name: 'tidemark_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'tidemark_http_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    requests.labels(request.method, route, String(reply.statusCode)).inc();
    seconds.labels(request.method, route).observe(reply.elapsedTime / 1000);
    request.log.info(
      { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 10) / 10 },
      'request',
    );
  });
}
