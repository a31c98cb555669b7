import type { CaptureResponse } from '@tidemark/wire';
import type { FastifyInstance } from 'fastify';
import { REPLAY_WIRE_CAP, readReplay } from '../decode/index.js';
import { closeMethods } from './cors.js';
import type { Door } from './door.js';
import { readBytes } from './read-bytes.js';
import { rawRequest } from './v0.js';

/**
 * The replay path. Recordings are not stored by this version: saying that their quota is used up is the protocol's way
 * to make recorders that were started without us stop sending, where an error would make them retry.
 */
export function registerReplay(scope: FastifyInstance, door: Door): void {
  scope.route({
    method: ['GET', 'POST'],
    url: '/s',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      await door.memory(async (hold) => {
        const raw = rawRequest(request, await readBytes(request, REPLAY_WIRE_CAP, hold));
        const { token } = await readReplay(raw, hold);
        await door.projectOf(token);
      });
      return reply.send({ status: 'Ok', quota_limited: ['recordings'] } satisfies CaptureResponse);
    },
  });
  closeMethods(scope, '/s', ['GET', 'POST']);
}
