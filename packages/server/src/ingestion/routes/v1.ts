import type { CaptureV1Response, CaptureV1Result } from '@tidemark/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress, closeMethods, readBytes } from '../../http/sdk/index.js';
import type { Outcome } from '../capture.js';
import { decodeV1, readV1Head, V1_WIRE_CAP, type V1Batch } from '../decode/index.js';
import type { CaptureContext } from './context.js';
import { v1Error } from './v1-errors.js';

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
