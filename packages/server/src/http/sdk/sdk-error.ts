import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { RoleOff } from '../../kernel/roles.js';
import { EventsFull, EventsUnavailable } from '../../ports/events.js';
import { isConnectionFault } from '../error-handler.js';
import type { Operation } from '../openapi/index.js';

/** The errors of requests for capture and flags: status and default sentence. */
const ERRORS = {
  missing_payload: [400, 'No payload: send it as the request body or in the query parameter "data".'],
  bad_form: [400, 'The body is not a form with a "data" field. Send JSON with "Content-Type: application/json".'],
  bad_compression: [400, 'The payload could not be decompressed.'],
  unknown_encoding: [400, 'The encoding of the payload is not taken here.'],
  bad_utf8: [400, 'The payload is not valid UTF-8.'],
  bad_json: [400, 'The payload is not valid JSON.'],
  too_deep: [400, 'The payload is nested too deeply.'],
  bad_content_type: [400, 'The content type must be application/json, text/plain or application/x-www-form-urlencoded.'],
  wrong_shape: [400, 'The payload is not an event, a list of events or a batch of events.'],
  empty_batch: [400, 'The batch holds no events.'],
  not_an_ai_event: [400, 'Only events whose name starts with "$ai_" may be sent here.'],
  invalid_message: [400, 'A message lacks something.'],
  missing_event_name: [400, 'An event has no name: "event" must be text that is not empty.'],
  missing_distinct_id: [400, 'An event has no "distinct_id".'],
  empty_distinct_id: [400, 'An event has an empty "distinct_id".'],
  invalid_uuid: [400, 'The "uuid" of an event is not a UUID.'],
  missing_session_id: [400, 'A snapshot has no "$session_id".'],
  invalid_session_id: [400, 'The "$session_id" of a snapshot must be at most 70 letters, digits or dashes.'],
  missing_snapshot_data: [400, 'A snapshot has no "$snapshot_data".'],
  no_token: [401, 'No project key: send it as "api_key" or "token".'],
  several_tokens: [401, 'The events have inconsistent project keys: one request can only serve one project.'],
  malformed_token: [401, 'The project key is malformed.'],
  unknown_token: [401, 'The project key is not known here.'],
  body_timeout: [408, 'The request body did not arrive in time.'],
  payload_too_large: [413, 'The payload is too large.'],
  event_too_large: [413, 'An event is too large.'],
  overloaded: [503, 'Too much is being taken in at the moment. Try again shortly.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

export type SdkErrorCode = keyof typeof ERRORS;

/** An error that an SDK endpoint answers, in the terms of the protocol; `message` is one sentence for people. */
export class SdkError extends Error {
  override name = 'SdkError';
  readonly status: number;
  constructor(
    readonly code: SdkErrorCode,
    sentence?: string,
  ) {
    super(sentence ?? ERRORS[code][1]);
    this.status = ERRORS[code][0];
  }
}

/**
 * The OpenAPI responses of errors that any SDK route can have.
 * @param unavailable describes the status 503
 * @param own further statuses, and other descriptions
 */
export function errorResponses(
  unavailable: string,
  {
    schema = z.string(),
    mediaType = 'text/plain',
    own = {},
  }: { schema?: z.ZodType; mediaType?: string; own?: Record<number, string> } = {},
): Operation['responses'] {
  const descriptions = {
    400: 'The request is malformed',
    401: 'The project API key is missing or unknown, or it is a secret key',
    408: 'The body did not come in time',
    413: 'The body is too large',
    500: 'Internal error',
    503: unavailable,
    ...own,
  };
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => [status, { description, schema, mediaType }]),
  );
}

/** Reserves bytes of memory until the request is answered. @throws SdkError overloaded when the budget is exhausted */
export type Reserve = (bytes: number) => void;

/** More events wait for the stores than may; nothing of the request was stored. */
export class QueueFull extends Error {
  override name = 'QueueFull';
}

/** `Retry-After` of a temporary failure, in seconds. */
export const RETRY_AFTER = '5';

/** Whether a retry may succeed: the stores are unreachable or full, or too many events wait. */
export function isTemporary(error: Error): boolean {
  if (error instanceof RoleOff || error instanceof QueueFull || error instanceof EventsUnavailable || error instanceof EventsFull)
    return true;
  return (error instanceof SdkError && error.code === 'overloaded') || isConnectionFault(error);
}

/** The sentence of a temporary failure. */
export const temporarySentence = (
  error: Error,
  sentence = 'Events cannot be taken in at the moment. Try again shortly.',
): string => (error instanceof RoleOff ? error.message : sentence);

/** Closes the connection after statuses that leave a part of the body unread: it cannot carry another request. */
export function closeIfUnread(reply: FastifyReply, status: number): void {
  if (status === 408 || status === 413) reply.header('connection', 'close');
}

/** Whether Fastify itself rejected the request (a 4xx of its own), before any handler. */
export function isFrameworkError(error: Error & { statusCode?: number }): boolean {
  return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500;
}

/**
 * Answers errors of the scope as one sentence of plain text, the only form that v0 clients know.
 * @param context counts each refused request by its reason
 * @param unavailable the sentence of a 503
 */
export function answerPlainErrors(
  scope: FastifyInstance,
  context: { countRefusal: (reason: string) => void },
  unavailable?: string,
): void {
  scope.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    reply.type('text/plain; charset=utf-8');
    if (isTemporary(error)) {
      context.countRefusal('unavailable');
      if (!(error instanceof SdkError)) request.log.warn({ reason: error.message }, 'refused for now');
      return reply.code(503).header('retry-after', RETRY_AFTER).send(temporarySentence(error, unavailable));
    }
    if (error instanceof SdkError) {
      context.countRefusal(error.code);
      closeIfUnread(reply, error.status);
      return reply.code(error.status).send(error.message);
    }
    if (isFrameworkError(error)) {
      context.countRefusal('malformed_request');
      return reply.code(400).send('The request is malformed.');
    }
    context.countRefusal('internal_error');
    request.log.error({ err: error }, 'request failed');
    return reply.code(500).send(`Something went wrong here. The log has more under ${request.id}.`);
  });
}
