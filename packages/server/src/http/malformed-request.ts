import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ErrorCode } from '../kernel/errors.js';

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
