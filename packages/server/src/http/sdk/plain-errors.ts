import type { FastifyInstance } from 'fastify';
import { closeIfUnread, isFrameworkRefusal, isPassing, RETRY_AFTER } from './faults.js';
import { Refusal } from './refusal.js';

/**
 * Answers what goes wrong in the scope as one sentence of plain text: all that v0 clients know.
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
    if (isPassing(error)) {
      context.countRefusal('unavailable');
      if (!(error instanceof Refusal)) request.log.warn({ reason: error.message }, 'refused for now');
      return reply.code(503).header('retry-after', RETRY_AFTER).send(unavailable);
    }
    if (error instanceof Refusal) {
      context.countRefusal(error.code);
      closeIfUnread(reply, error.status);
      return reply.code(error.status).send(error.message);
    }
    if (isFrameworkRefusal(error)) {
      context.countRefusal('malformed_request');
      return reply.code(400).send('The request is malformed.');
    }
    context.countRefusal('internal_error');
    request.log.error({ err: error }, 'request failed');
    return reply.code(500).send(`Something went wrong here. The log has more under ${request.id}.`);
  });
}
