import type { CaptureResponse } from '@tidemark/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress, closeMethods, queryText, rawRequest, readBytes, SdkError } from '../../http/sdk/index.js';
import type { IngestionWarning } from '../capture.js';
import { eventsV0, readEnvelope, V0_PAYLOAD_CAP } from '../decode/index.js';
import type { CaptureContext } from './context.js';

/** Limit of a body as sent, bytes. */
export const WIRE_CAP = 20 * 1024 * 1024;
/** Warnings per request: a broken client repeats its mistake in every event. */
export const MAX_WARNINGS = 10;

interface Path {
  url: string;
  /** Whether the path serves the first SDKs, which encode twice. */
  legacy?: true;
  /** Name of events without one. */
  defaultName?: string;
  /** Required prefix of event names. */
  prefix?: string;
}

const PATHS: readonly Path[] = [
  { url: '/e', legacy: true },
  { url: '/i/v0/e' },
  { url: '/capture', legacy: true },
  { url: '/track', legacy: true },
  { url: '/engage', legacy: true, defaultName: '$identify' },
  { url: '/batch' },
  { url: '/i/v0/ai/batch', prefix: '$ai_' },
];

/** The analytics paths of the v0 protocol; each accepts every shape. A request is stored as a whole or refused. */
export function registerV0(scope: FastifyInstance, context: CaptureContext): void {
  for (const path of PATHS) {
    scope.route({
      method: ['GET', 'POST'],
      url: path.url,
      exposeHeadRoute: false,
      handler: (request, reply) => capture(context, path, request, reply),
    });
    closeMethods(scope, path.url, ['GET', 'POST']);
  }
}

async function capture(context: CaptureContext, path: Path, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { deps, intake } = context;
  const receivedAt = deps.clock.now();
  const ip = clientAddress(request);
  await context.decode(async (decoding) => {
    const raw = rawRequest(request, await readBytes(request, WIRE_CAP, decoding), {
      cap: V0_PAYLOAD_CAP,
      legacy: path.legacy === true,
    });
    await context.scheduleDecode(raw.body.length);
    const envelope = await readEnvelope(
      raw,
      queryText(request, 'sent_at') ?? queryText(request, '_'),
      decoding,
      context.readHistory,
    );
    const project = await context.projectOf(envelope.token);
    const warnings: IngestionWarning[] = [];
    const { isHistorical } = envelope;
    const scheduler = isHistorical ? intake.background : deps.scheduler;
    const events = await eventsV0(
      envelope,
      { scheduler },
      {
        now: receivedAt,
        defaultName: path.defaultName ?? null,
        makeUuid: () => deps.ids.uuid7(),
        warn: (type, details) => {
          if (warnings.length < MAX_WARNINGS) warnings.push({ projectId: project.id, type, details });
        },
      },
    );
    if (path.prefix && !events.every((event) => event.event.startsWith(path.prefix ?? ''))) throw new SdkError('not_an_ai_event');
    await intake.capture({ project, ip: isHistorical ? '' : ip, receivedAt, events, warnings, isHistorical });
    // history has come from there
    if (!isHistorical) deps.services.forwarder.forward(request, raw.body);
  });
  if (queryText(request, 'beacon') === '1') return reply.code(204).send();
  return reply.send({ status: 'Ok' } satisfies CaptureResponse);
}
