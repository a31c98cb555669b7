import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Scheduler } from '../../ports/system.js';
import { type Hold, Refusal } from './refusal.js';

/** How long a client may pause within a body, milliseconds. */
const PATIENCE_MS = 20_000;
/** Bytes past the limit that are still read and thrown away: clients that are cut off while sending never see why. */
const GRACE = 64 * 1024 * 1024;

interface ReadBytesOptions {
  hold: Hold;
  scheduler: Scheduler;
  /** How long a client may pause within a body; milliseconds. */
  patienceMs?: number;
}

/** Leaves bodies unread, whatever type they claim, for {@link readBytes}. */
export function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, stream, done) => done(null, stream));
}

/**
 * The body of a request in a scope of {@link leaveBodiesUnread}.
 * @param cap most bytes taken
 * @throws Refusal payload_too_large, body_timeout (also when the client is gone), overloaded
 */
export function readBytes(
  request: FastifyRequest,
  cap: number,
  { hold, scheduler, patienceMs = PATIENCE_MS }: ReadBytesOptions,
): Promise<Buffer> {
  const stream = request.body as Readable | undefined;
  if (!stream) return Promise.resolve(Buffer.alloc(0));
  if (Number(request.headers['content-length'] ?? 0) > cap + GRACE) return Promise.reject(new Refusal('payload_too_large'));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let refusal: Refusal | null = null;
    const finish = (error: Refusal | null) => {
      cancelTimer();
      stream.off('data', take).off('end', end).off('error', gone).off('close', gone);
      if (error) {
        // the rest may still be coming, and errors of a stream that nobody listens to end the process
        stream.on('error', () => {}).resume();
        reject(error);
      } else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length));
    };
    const take = (chunk: Buffer) => {
      restartTimer();
      length += chunk.length;
      if (length > cap + GRACE) return finish(new Refusal('payload_too_large'));
      if (!refusal) refusal = keep(chunk);
    };
    const keep = (chunk: Buffer): Refusal | null => {
      try {
        if (length > cap) throw new Refusal('payload_too_large');
        hold(chunk.length);
        chunks.push(chunk);
        return null;
      } catch (error) {
        chunks.length = 0;
        return error instanceof Refusal ? error : new Refusal('overloaded');
      }
    };
    const end = () => finish(refusal);
    const gone = () => finish(new Refusal('body_timeout'));
    let cancelTimer = () => {};
    const restartTimer = () => {
      cancelTimer();
      cancelTimer = scheduler.after(patienceMs, gone, { keepsAlive: true });
    };
    restartTimer();
    stream.on('data', take).on('end', end).on('error', gone).on('close', gone);
  });
}
