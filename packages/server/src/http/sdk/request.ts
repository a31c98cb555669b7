import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Decoding } from './decoding.js';
import type { RawRequest } from './payload/read-payload.js';
import { SdkError } from './sdk-error.js';

const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i;

/** The client's address. An IPv4 address in IPv6 notation, which servers that listen on IPv6 see, comes out as IPv4. */
export const clientAddress = (request: FastifyRequest): string => request.ip.replace(MAPPED_IPV4, '');

/** A query parameter as text; the first value of a repeated one. */
export function queryText(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, string | string[] | undefined>)[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * The parts of a request that the payload decoder reads.
 * @param options `cap`: largest decompressed payload in bytes; `legacy`: a path of the first SDKs, which encoded twice
 */
export const rawRequest = (
  request: FastifyRequest,
  body: Buffer,
  { cap, legacy = false }: { cap: number; legacy?: boolean },
): RawRequest => ({
  body,
  data: queryText(request, 'data'),
  compression: queryText(request, 'compression'),
  contentType: request.headers['content-type'],
  contentEncoding: request.headers['content-encoding'],
  legacy,
  cap,
});

/** Longest pause of a client within a body, milliseconds. */
const PATIENCE_MS = 20_000;
/** Bytes past the limit that are still read and discarded: a client whose connection is cut while it sends never reads the error. */
const GRACE = 64 * 1024 * 1024;

interface ReadBytesOptions extends Pick<Decoding, 'reserve' | 'scheduler'> {
  /** Longest pause of a client within a body, milliseconds. */
  patienceMs?: number;
}

/** Leaves the bodies of all media types unread, for {@link readBytes}. */
export function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, stream, done) => done(null, stream));
}

/**
 * The body of a request in a scope of {@link leaveBodiesUnread}.
 * @param cap largest body, bytes
 * @throws SdkError payload_too_large, body_timeout (also when the client is gone), overloaded
 */
export function readBytes(
  request: FastifyRequest,
  cap: number,
  { reserve, scheduler, patienceMs = PATIENCE_MS }: ReadBytesOptions,
): Promise<Buffer> {
  const stream = request.body as Readable | undefined;
  if (!stream) return Promise.resolve(Buffer.alloc(0));
  if (Number(request.headers['content-length'] ?? 0) > cap + GRACE) return Promise.reject(new SdkError('payload_too_large'));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let failure: SdkError | null = null;
    const finish = (error: SdkError | null) => {
      cancelTimer();
      stream.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff);
      if (error) {
        // more bytes may arrive, and an error event without a listener would end the process
        stream.on('error', () => {}).resume();
        reject(error);
      } else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length));
    };
    const take = (chunk: Buffer) => {
      restartTimer();
      length += chunk.length;
      if (length > cap + GRACE) return finish(new SdkError('payload_too_large'));
      if (!failure) failure = append(chunk);
    };
    const append = (chunk: Buffer): SdkError | null => {
      try {
        if (length > cap) throw new SdkError('payload_too_large');
        reserve(chunk.length);
        chunks.push(chunk);
        return null;
      } catch (error) {
        chunks.length = 0;
        return error instanceof SdkError ? error : new SdkError('overloaded');
      }
    };
    const end = () => finish(failure);
    const breakOff = () => finish(new SdkError('body_timeout'));
    let cancelTimer = () => {};
    const restartTimer = () => {
      cancelTimer();
      cancelTimer = scheduler.after(patienceMs, breakOff, { keepsAlive: true });
    };
    restartTimer();
    stream.on('data', take).on('end', end).on('error', breakOff).on('close', breakOff);
  });
}
