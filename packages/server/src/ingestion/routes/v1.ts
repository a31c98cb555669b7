import type { CaptureV1Error, CaptureV1ErrorTag, CaptureV1Response, CaptureV1Result } from '@tidemark/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  clientAddress,
  closeIfUnread,
  closeMethods,
  isFrameworkError,
  isTemporary,
  RETRY_AFTER,
  readBytes,
  SdkError,
  temporarySentence,
} from '../../http/sdk/index.js';
import type { Outcome } from '../capture.js';
import {
  ACCEPTED_ENCODINGS,
  decodeV1,
  readV1Head,
  V1_STATUS,
  V1_WIRE_CAP,
  type V1Batch,
  V1Refusal,
  v1Tag,
} from '../decode/index.js';
import type { CaptureContext } from './context.js';

const REQUEST_ID = 'posthog-request-id';

/** The v1 protocol: every event has its own result. */
export function registerV1(scope: FastifyInstance, context: CaptureContext): void {
  scope.addHook('onRequest', async (request, reply) => {
    const id = request.headers[REQUEST_ID];
    if (id !== undefined) reply.header(REQUEST_ID, id);
  });
  for (const url of ['/i/v1/analytics/events', '/i/v1/general/events']) {
    scope.post(url, (request, reply) => capture(context, request, reply));
    closeMethods(scope, url, ['POST'], 200, (sentence) => v1Error('method_not_allowed', sentence));
  }
}

async function capture(context: CaptureContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { deps, intake } = context;
  const receivedAt = deps.clock.now();
  const ip = clientAddress(request);
  const head = readV1Head(request.headers);
  const project = await context.projectOf(head.token);
  const results = await context.decode(async (decoding) => {
    const body = await readBytes(request, V1_WIRE_CAP, decoding);
    await context.scheduleDecode(body.length);
    const batch = await decodeV1(body, head, receivedAt, decoding);
    const outcomes = batch.events.length > 0 ? await intake.capture({ project, ip, receivedAt, events: batch.events }) : [];
    deps.services.forwarder.forward(request, body);
    for (const { drop } of batch.fates.values()) if (drop) context.countRefusal(drop);
    return resultsOf(batch, outcomes);
  });
  return reply.send({ results } satisfies CaptureV1Response);
}

function resultsOf(batch: V1Batch, outcomes: Outcome[]): Record<string, CaptureV1Result> {
  const results: Record<string, CaptureV1Result> = {};
  for (const { sent, drop } of batch.fates.values()) {
    results[sent] = drop ? { result: 'drop', details: drop } : { result: 'ok' };
  }
  for (const outcome of outcomes) {
    const sent = batch.fates.get(outcome.uuid)?.sent;
    if (sent === undefined || outcome.result === 'ok') continue;
    results[sent] = { result: outcome.result, details: outcome.details };
  }
  return results;
}

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
    return new V1Refusal('service_unavailable', temporarySentence(error));
  }
  if (error instanceof SdkError) return new V1Refusal(v1Tag(error.code), error.message);
  if (error.statusCode === 415) return new V1Refusal('unsupported_content_type', 'The content type must be application/json.');
  if (isFrameworkError(error)) return new V1Refusal('request_parsing_error', 'The request is malformed.');
  return null;
}
