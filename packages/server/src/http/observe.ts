import type { FastifyInstance } from 'fastify';
import { Histogram } from 'prom-client';
import type { Deps } from '../deps.js';

/** One log line and one measurement a request. Only the route's pattern is told: addresses and queries can hold keys. */
export function observeRequests(app: FastifyInstance, deps: Deps): void {
  const seconds = new Histogram({
    name: 'tidemark_http_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [deps.metrics],
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    seconds.labels(request.method, route, String(reply.statusCode)).observe(reply.elapsedTime / 1000);
    request.log.info(
      { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 10) / 10 },
      'request',
    );
  });
}
