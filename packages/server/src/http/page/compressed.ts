import { Readable } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, acceptsGzip } from '../response.js';
import type { FinishedPage } from './finished-page.js';

/**
 * A body in the encoding that the client accepts, and sets its headers. Every part is sent as soon as it is there, so that browsers show
 * the start of a page while the rest is computed.
 */
export function compressed(request: FastifyRequest, reply: FastifyReply, parts: AsyncIterable<string>): Readable {
  const encoding = acceptedEncoding(request);
  reply.header('vary', 'Accept-Encoding');
  if (encoding === null) return Readable.from(parts);
  reply.header('content-encoding', encoding);
  const stream =
    encoding === 'br'
      ? // quality 5 takes 10 ms for a large page; 11 takes a second for 10 % less
        createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH, params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
      : createGzip({ flush: constants.Z_SYNC_FLUSH });
  Readable.from(parts)
    .on('error', (error) => stream.destroy(error))
    .pipe(stream);
  return stream;
}

/** The body of a finished page for a client, and sets its headers. */
export function finishedBody(
  request: FastifyRequest,
  reply: FastifyReply,
  page: FinishedPage,
  nonce: string,
  end: string,
): Promise<Buffer> {
  const isGzip = acceptsGzip(request);
  reply.header('vary', 'Accept-Encoding');
  if (isGzip) reply.header('content-encoding', 'gzip');
  return page.body(nonce, end, isGzip);
}
