import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, ERRORS, type ErrorBody, type ErrorCode } from '../kernel/errors.js';
import { RoleOff } from '../kernel/roles.js';
import { isDeadlock, isForeignKeyViolation } from '../kernel/sql.js';
import { EventsFull, EventsUnavailable } from '../ports/events.js';

type Raised = Error & { statusCode?: number; code?: string; constraint?: string };

/** Makes {@link sendError} the answer to whatever a handler throws. */
export function installErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler(sendError);
}

/** Turns every error into a response of the REST API: the table's status and body, or a 500 with the id of the request. */
export function sendError(error: Raised, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // the type: a stream that breaks before its first bytes has set its own; nosniff: malformed addresses reach no hook
  reply.type('application/json; charset=utf-8').header('x-content-type-options', 'nosniff');
  const refusal = asApiError(error);
  if (refusal) {
    if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
    if (refusal.retryAfter !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(refusal.retryAfter))));
    if (refusal.status >= 500) request.log.warn({ reason: error.message }, 'refused for now');
    return reply.code(refusal.status).send(refusal.body);
  }
  request.log.error({ err: error }, 'request failed');
  const [status, type, detail] = ERRORS.error;
  const body: ErrorBody = { type, code: 'error', detail, attr: null, extra: { request_id: request.id } };
  return reply.code(status).send(body);
}

/** Errors of Fastify and of the stores in the terms of the table; null: a bug. */
function asApiError(error: Raised): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof RoleOff) return new ApiError('unavailable', error.message, null, 5);
  if (error instanceof EventsUnavailable || error instanceof EventsFull) return new ApiError('unavailable', undefined, null, 5);
  if (isConnectionFault(error)) return new ApiError('unavailable', undefined, null, 5);
  if (isDeadlock(error)) return new ApiError('unavailable', undefined, null, 1);
  if (isForeignKeyViolation(error)) return new ApiError('not_found', goneDetail(error.constraint ?? ''));
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('request_too_large');
  if (error.code === 'FST_ERR_MAX_PARAM_LENGTH') return new ApiError('not_found');
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) return new ApiError('parse_error', error.message);
  return null;
}

/** The detail of a 404 for a write whose parent object another request has just deleted, by the name of the foreign key. */
function goneDetail(constraint: string): string | undefined {
  if (constraint.endsWith('_project_id_fkey')) return 'Project not found.';
  return constraint.endsWith('_organization_id_fkey') ? 'Organization not found.' : undefined;
}

/** Whether PostgreSQL is unreachable, starting, stopping, full or read-only: SQLSTATE 08, 53, 57P and 25006, or no connection at all. */
export function isConnectionFault(error: { code?: string; message: string }): boolean {
  const code = error.code ?? '';
  return (
    /^(08|53|57P|25006)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'].includes(code) ||
    // the last one is what the rollback of a transaction says whose connection broke
    /Connection terminated|timeout exceeded when trying to connect|is not queryable/.test(error.message)
  );
}

/** What Node.js calls the faults of requests that have a status of their own. */
const KNOWN: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Answers what is no request that can be read (more than 16 KB of address and headers, not HTTP, never ending) with the body of
 * all refusals, and closes the connection: there is no telling where the next request begins.
 */
export function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const refusal = new ApiError(KNOWN[error.code ?? ''] ?? 'parse_error');
  const body = JSON.stringify(refusal.body);
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}
