import type { CaptureResponse } from '@tidemark/wire';
import type { FastifyInstance } from 'fastify';
import { closeMethods, rawRequest, readBytes } from '../../http/sdk/index.js';
import { REPLAY_WIRE_CAP, readReplay, V0_PAYLOAD_CAP } from '../decode/index.js';
import { storeReplay } from '../replay/index.js';
import type { CaptureContext } from './context.js';

/**
 * The replay endpoint; answers when everything is stored. If recording is disabled in the project, it reports an exceeded quota: this stops
 * recorders, where an error would make them retry.
 */
export function registerReplay(scope: FastifyInstance, context: CaptureContext): void {
  scope.route({
    method: ['GET', 'POST'],
    url: '/s',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const wanted = await context.decode(async (decoding) => {
        const raw = rawRequest(request, await readBytes(request, REPLAY_WIRE_CAP, decoding), {
          cap: V0_PAYLOAD_CAP,
        });
        await context.scheduleDecode(raw.body.length);
        const { token, parts } = await readReplay(raw, request.headers['user-agent'], decoding);
        const project = await context.projectOf(token);
        const isStored = await storeReplay(context.deps, project.id, parts);
        if (isStored) context.deps.services.forwarder.forward(request, raw.body);
        return isStored;
      });
      const answer: CaptureResponse = wanted ? { status: 'Ok' } : { status: 'Ok', quota_limited: ['recordings'] };
      return reply.send(answer);
    },
  });
  closeMethods(scope, '/s', ['GET', 'POST']);
}
