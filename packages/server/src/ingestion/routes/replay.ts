import type { CaptureResponse } from '@tidemark/wire';
import type { FastifyInstance } from 'fastify';
import { closeMethods, rawRequest, readBytes } from '../../http/sdk/index.js';
import { REPLAY_WIRE_CAP, readReplay, V0_PAYLOAD_CAP } from '../decode/index.js';
import { storeReplay } from '../replay/index.js';
import type { CaptureContext } from './context.js';

/**
 * The replay path; answers when everything is stored. To recorders that run although the project does not want recordings it
 * says that their quota is used up: the protocol's way to make them stop, where an error would make them retry.
 */
export function registerReplay(scope: FastifyInstance, door: CaptureContext): void {
  scope.route({
    method: ['GET', 'POST'],
    url: '/s',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const wanted = await door.memory(async (reserve) => {
        const raw = rawRequest(request, await readBytes(request, REPLAY_WIRE_CAP, { reserve, scheduler: door.deps.scheduler }), {
          cap: V0_PAYLOAD_CAP,
        });
        await door.scheduleDecode(raw.body.length);
        const { token, parts } = await readReplay(raw, request.headers['user-agent'], reserve);
        const project = await door.projectOf(token);
        return storeReplay(door.deps, project.id, parts);
      });
      const answer: CaptureResponse = wanted ? { status: 'Ok' } : { status: 'Ok', quota_limited: ['recordings'] };
      return reply.send(answer);
    },
  });
  closeMethods(scope, '/s', ['GET', 'POST']);
}
