import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { origin } from '../../http/origin.js';
import {
  clientAddress,
  closeIfUnread,
  closeMethods,
  isFrameworkError,
  isTemporary,
  RETRY_AFTER,
  rawRequest,
  readBytes,
  SdkError,
  temporarySentence,
} from '../../http/sdk/index.js';
import type { IngestionWarning } from '../capture.js';
import { eventsV0, V0_PAYLOAD_CAP } from '../decode/index.js';
import { readSegmentRequest, type SegmentType } from '../segment.js';
import type { CaptureContext } from './context.js';
import { MAX_WARNINGS, WIRE_CAP } from './v0.js';

/** Calls by path: the names of the HTTP API, and their first letters, which analytics.js uses. */
const PATHS: Readonly<Record<string, SegmentType | 'batch'>> = {
  track: 'track',
  t: 'track',
  identify: 'identify',
  i: 'identify',
  page: 'page',
  p: 'page',
  screen: 'screen',
  s: 'screen',
  group: 'group',
  g: 'group',
  alias: 'alias',
  a: 'alias',
  batch: 'batch',
  b: 'batch',
};
const SETTINGS = '/projects/:key/settings';

const failed = (message: string) => ({ success: false, message });

/** Segment's HTTP tracking API, in a scope with the prefix `/v1`. A request is stored as a whole or refused. */
export function registerSegment(scope: FastifyInstance, context: CaptureContext): void {
  scope.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => answer(context, error, request, reply));
  scope.setNotFoundHandler(async (_request, reply) => reply.code(404).send(failed('There is nothing at this path.')));
  for (const [path, type] of Object.entries(PATHS)) {
    scope.post(`/${path}`, (request, reply) => capture(context, type, request, reply));
    closeMethods(scope, `/${path}`, ['POST'], 200, failed);
  }
  scope.get(SETTINGS, (request, reply) => settings(context, request, reply));
  closeMethods(scope, SETTINGS, ['GET', 'HEAD'], 200, failed);
}

async function capture(
  context: CaptureContext,
  type: SegmentType | 'batch',
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { deps, intake } = context;
  const receivedAt = deps.clock.now();
  await context.decode(async (decoding) => {
    const raw = rawRequest(request, await readBytes(request, WIRE_CAP, decoding), {
      cap: V0_PAYLOAD_CAP,
    });
    await context.scheduleDecode(raw.body.length);
    const { token, items } = await readSegmentRequest(raw, type, request.headers.authorization, decoding);
    const project = await context.projectOf(token);
    const warnings: IngestionWarning[] = [];
    const events = await eventsV0({ sentAt: null, items }, decoding, {
      now: receivedAt,
      defaultName: null,
      makeUuid: () => deps.ids.uuid7(),
      warn: (kind, details) => {
        if (warnings.length < MAX_WARNINGS) warnings.push({ projectId: project.id, type: kind, details });
      },
    });
    await intake.capture({ project, ip: clientAddress(request), receivedAt, events, warnings });
  });
  return reply.send({ success: true });
}

/** Settings that analytics.js loads at its start when this service is its `cdnURL`: the only destination and its host. */
async function settings(context: CaptureContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { key } = request.params as { key: string };
  await context.projectOf(key);
  const [protocol = '', host = ''] = origin(request).split('://');
  return reply.header('cache-control', 'public, max-age=60').send({
    integrations: { 'Segment.io': { apiKey: key, apiHost: `${host}/v1`, protocol, unbundledIntegrations: [] } },
    plan: { track: { __default: { enabled: true, integrations: {} } } },
    edgeFunction: {},
    analyticsNextEnabled: true,
    metrics: { sampleRate: 0 },
  });
}

/** Error handler in Segment's format, which has 400 for every unreadable request, too large ones included. */
function answer(
  context: CaptureContext,
  error: Error & { statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (isTemporary(error)) {
    context.countRefusal('unavailable');
    return reply
      .code(503)
      .header('retry-after', RETRY_AFTER)
      .send(failed(temporarySentence(error)));
  }
  if (error instanceof SdkError) {
    context.countRefusal(error.code);
    closeIfUnread(reply, error.status);
    return reply.code(error.status === 413 ? 400 : error.status).send(failed(error.message));
  }
  if (isFrameworkError(error)) return reply.code(400).send(failed('The request is malformed.'));
  context.countRefusal('internal_error');
  request.log.error({ err: error }, 'request failed');
  return reply.code(500).send(failed(`Something went wrong here. The log has more under ${request.id}.`));
}
