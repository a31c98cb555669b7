import type { FastifyReply } from 'fastify';
import { EventsFull, EventsUnavailable } from '../../ports/events.js';
import { isConnectionFault } from '../error-handler.js';
import { SdkError } from './sdk-error.js';

/** More events wait for the stores than may; nothing of the request was stored. */
export class QueueFull extends Error {
  override name = 'QueueFull';
}

/** `Retry-After` of a temporary failure, in seconds. */
export const RETRY_AFTER = '5';

/** Whether a retry may succeed: the stores are unreachable or full, or too many events wait. */
export function isTemporary(error: Error): boolean {
  if (error instanceof QueueFull || error instanceof EventsUnavailable || error instanceof EventsFull) return true;
  return (error instanceof SdkError && error.code === 'overloaded') || isConnectionFault(error);
}

/** Closes the connection after statuses that leave a part of the body unread: it cannot carry another request. */
export function closeIfUnread(reply: FastifyReply, status: number): void {
  if (status === 408 || status === 413) reply.header('connection', 'close');
}

/** Whether Fastify itself rejected the request (a 4xx of its own), before any handler. */
export function isFrameworkError(error: Error & { statusCode?: number }): boolean {
  return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500;
}
