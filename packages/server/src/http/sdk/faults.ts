import type { FastifyReply } from 'fastify';
import { EventsFull, EventsUnavailable } from '../../ports/events.js';
import { isConnectionFault } from '../error-handler.js';
import { Refusal } from './refusal.js';

/** More events wait for the stores than may; nothing of the request was stored. */
export class QueueFull extends Error {
  override name = 'QueueFull';
}

/** Seconds after which a client may try again what could not be taken now. */
export const RETRY_AFTER = '5';

/** Whether a failure passes by itself: stores away, stores full, or too much waiting. */
export function isPassing(error: Error): boolean {
  if (error instanceof QueueFull || error instanceof EventsUnavailable || error instanceof EventsFull) return true;
  return (error instanceof Refusal && error.code === 'overloaded') || isConnectionFault(error);
}

/** After these the body may not have been read to its end, so the connection cannot carry another request. */
export function closeIfUnread(reply: FastifyReply, status: number): void {
  if (status === 408 || status === 413) reply.header('connection', 'close');
}

/** Whether the framework refused the request itself (its own 4xx), before any of our code. */
export function isFrameworkRefusal(error: Error & { statusCode?: number }): boolean {
  return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500;
}
