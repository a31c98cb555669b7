import { type Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../kernel/errors.js';

/** A number of bytes that requests share. */
export interface MemoryBudget {
  /** Begins a reservation of no bytes. */
  open(): Reservation;
}

/** The bytes that one request has reserved. */
export interface Reservation {
  /** Reserves more bytes; false: the budget does not have them, and the reservation stays as it is. */
  add(bytes: number): boolean;
  /** Returns all bytes to the budget. */
  release(): void;
}

/** @param limit bytes of all reservations together */
export function createMemoryBudget(limit: number): MemoryBudget {
  let total = 0;
  return {
    open: () => {
      let reserved = 0;
      return {
        add: (bytes) => {
          if (total + bytes > limit) return false;
          total += bytes;
          reserved += bytes;
          return true;
        },
        release: () => {
          total -= reserved;
          reserved = 0;
        },
      };
    },
  };
}

/** Bytes of long request bodies in memory at the same time: a body is read whole before its sender is known. */
const LIMIT = 200 * 1024 * 1024;
/** Bodies up to this length are not counted, so that usual requests are served while long ones exhaust the budget. */
const SHORT = 64 * 1024;

/**
 * Answers 503 to requests of the API with long bodies while the budget is exhausted. Routes that read their bodies themselves have
 * budgets of their own.
 */
export function limitBodyMemory(app: FastifyInstance, limit = LIMIT): void {
  const budget = createMemoryBudget(limit);
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!isOfApi(request) || Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= SHORT)
      return done(null, payload);
    const reservation = budget.open();
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, next) =>
        next(reservation.add(chunk.length) ? null : new ApiError('unavailable'), chunk),
    });
    reply.raw.once('close', () => reservation.release());
    done(null, pipeBody(payload, counted));
  });
}

/** Routes of a route table, and addresses without a route: Fastify reads the bodies of both before any check. */
const isOfApi = (request: FastifyRequest): boolean => request.is404 || 'scope' in request.routeOptions.config;

/** As `pipe`, but a client that disconnects ends the body. A request that is refused keeps its connection for the response. */
function pipeBody(source: Readable, counted: Transform): Transform {
  source.once('close', () => {
    if (!source.readableEnded) counted.destroy(new ApiError('parse_error', 'The body breaks off.'));
  });
  return source.pipe(counted);
}
