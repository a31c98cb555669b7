import type { FastifyRequest } from 'fastify';
import type { RawRequest } from './payload/read-payload.js';

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
