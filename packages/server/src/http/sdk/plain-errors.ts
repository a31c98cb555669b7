import type { FastifyInstance } from 'fastify';
import { closeIfUnread, isFrameworkError, isTemporary, RETRY_AFTER } from './failures.js';
import { SdkError } from './sdk-error.js';

/**
 * Answers errors of the scope as one sentence of plain text, the only form that v0 clients know.
 * @param context counts each refused request by its reason
 * @param unavailable the sentence of a 503
 */
export function answerPlainErrors(
  scope: FastifyInstance,
  context: { countRefusal: (reason: string) => void },
  unavailable = 'Events cannot be taken in at the moment. Try again shortly.',
): void {
  scope.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    reply.type('text/plain; charset=utf-8');
    if (isTemporary(error)) {
      context.countRefusal('unavailable');
      if (!(error instanceof SdkError)) request.log.warn({ reason: error.message }, 'refused for now');
      return reply.code(503).header('retry-after', RETRY_AFTER).send(unavailable);
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
