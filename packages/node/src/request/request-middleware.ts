import { isRecord } from '@tidemark/client';
import type { NodeClient } from '../node-client.js';
import { contextOf, type RequestHeaders } from './request-headers.js';

/** What is needed of a request of Express, Connect, restify and the like. */
export interface MiddlewareRequest {
  headers: RequestHeaders;
  method?: string | undefined;
  url?: string | undefined;
  originalUrl?: string | undefined;
  /** Requests of Node.js emit events for their body. */
  emit?(event: string, ...values: unknown[]): boolean;
}

type Next = (error?: unknown) => void;

/**
 * Assigns events of a request to the person and session that the tracing headers of the page name.
 *
 * @example
 * app.use(requestMiddleware(analytics));
 * app.get('/buy', (request, response) => {
 *   analytics.capture({ event: 'bought' });
 * });
 */
export const requestMiddleware =
  (client: NodeClient) =>
  (request: MiddlewareRequest, _response: unknown, next: Next): void => {
    const { emit } = request;
    // Node.js emits `data` and `end` outside of the asynchronous context of the handler
    if (emit) request.emit = (...event) => withRequest(client, request, () => emit.apply(request, event));
    withRequest(client, request, () => next());
  };

/**
 * Captures errors of routes (not refusals below 500) and passes them on. Comes after the routes, and before handlers that answer errors.
 *
 * @example
 * app.use(errorMiddleware(analytics));
 */
export const errorMiddleware =
  (client: NodeClient) =>
  (error: unknown, request: MiddlewareRequest, _response: unknown, next: Next): void => {
    captureRouteError(client, error, request, 'express.error_handler');
    next(error);
  };

/** Captures an error that a framework has caught. @param source `<framework>.<hook>` */
export function captureRouteError(client: NodeClient, error: unknown, request: MiddlewareRequest, source: string): void {
  if (statusOf(error) < 500) return;
  const capture = () =>
    client.captureException(error, undefined, requestProperties(request), { type: 'middleware', handled: false, source });
  // an error may come from outside of the request's own chain
  withRequest(client, request, capture);
}

/** Runs `work` in the context that the headers of a request name; values that the application has set win. */
export function withRequest<T>(client: NodeClient, { headers }: MiddlewareRequest, work: () => T): T {
  return client.withContext({ ...contextOf(headers), ...client.getContext() }, work);
}

/** The status that frameworks answer an error with. */
function statusOf(error: unknown): number {
  const status = isRecord(error) ? (error['statusCode'] ?? error['status']) : undefined;
  return typeof status === 'number' ? status : 500;
}

/** Without the query, which may contain secrets. */
function requestProperties({ method, originalUrl, url }: MiddlewareRequest): Record<string, unknown> {
  const path = (originalUrl ?? url)?.split('?')[0];
  return { ...(method ? { $request_method: method } : {}), ...(path ? { $request_path: path } : {}) };
}
