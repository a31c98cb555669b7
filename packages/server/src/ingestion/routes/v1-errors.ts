import type { CaptureV1Error, CaptureV1ErrorTag } from '@tidemark/wire';
import type { FastifyInstance } from 'fastify';
import { closeIfUnread, isFrameworkError, isTemporary, RETRY_AFTER, SdkError } from '../../http/sdk/index.js';
import { ACCEPTED_ENCODINGS, V1_STATUS, V1Refusal, v1Tag } from '../decode/index.js';
import type { CaptureContext } from './context.js';

/** Error handler of the scope, in the format of the v1 protocol. */
export function answerV1Errors(scope: FastifyInstance, context: CaptureContext): void {
  scope.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const refusal = asV1Refusal(error);
    if (!refusal) request.log.error({ err: error }, 'request failed');
    const tag = refusal?.tag ?? 'internal_error';
    const status = V1_STATUS[tag];
    context.countRefusal(tag);
    closeIfUnread(reply, status);
    // clients wait at least this long before the next attempt
    if (status === 408 || status === 429 || status >= 500) reply.header('retry-after', RETRY_AFTER);
    return reply
      .code(status)
      .header('accept', 'application/json')
      .header('accept-encoding', ACCEPTED_ENCODINGS)
      .send(v1Error(tag, refusal?.message ?? `Something went wrong here. The log has more under ${request.id}.`));
  });
}

/** Body of a v1 error response. */
export const v1Error = (tag: CaptureV1ErrorTag, sentence: string): CaptureV1Error => ({
  error: tag,
  error_description: sentence,
  error_uri: `https://www.rfc-editor.org/rfc/rfc9110#status.${V1_STATUS[tag]}`,
});

/** null: an internal error. */
function asV1Refusal(error: Error & { statusCode?: number }): V1Refusal | null {
  if (error instanceof V1Refusal) return error;
  if (isTemporary(error)) {
    return new V1Refusal('service_unavailable', 'Events cannot be taken in at the moment. Try again shortly.');
  }
  if (error instanceof SdkError) return new V1Refusal(v1Tag(error.code), error.message);
  if (error.statusCode === 415) return new V1Refusal('unsupported_content_type', 'The content type must be application/json.');
  if (isFrameworkError(error)) return new V1Refusal('request_parsing_error', 'The request is malformed.');
  return null;
}
