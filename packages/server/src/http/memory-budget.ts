import { type Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../kernel/errors.js';

/** Bytes that long bodies of all requests take together at most: they are kept whole before it is known who sends them. */
const MOST_BYTES = 200 * 1024 * 1024;
/** Bodies that say that they are no longer than this are not counted: while others fill the room, usual requests go on. */
const SHORT = 64 * 1024;

/** Refuses long bodies of the API (503) while there is no room for them. Routes that read their bodies themselves see to theirs. */
export function keepRoomForBodies(app: FastifyInstance, most = MOST_BYTES): void {
  let taken = 0;
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!isOfApi(request) || Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= SHORT)
      return done(null, payload);
    let held = 0;
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, next) => {
        taken += chunk.length;
        held += chunk.length;
        next(taken > most ? new ApiError('unavailable') : null, chunk);
      },
    });
    reply.raw.once('close', () => {
      taken -= held;
      held = 0;
    });
    done(null, through(payload, counted));
  });
}

/** Of routes with a table, and of addresses that no route has: their bodies are read before anything is looked at. */
const isOfApi = (request: FastifyRequest): boolean => request.is404 || 'scope' in request.routeOptions.config;

/** As `pipe`, and a sender who goes away ends it. The connection of one that is refused stays for the answer. */
function through(source: Readable, counted: Transform): Transform {
  source.once('close', () => {
    if (!source.readableEnded) counted.destroy(new ApiError('parse_error', 'The body breaks off.'));
  });
  return source.pipe(counted);
}
