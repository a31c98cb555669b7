import { type Caches, ENTRY_BYTES } from '../caches/index.js';

/**
 * Lifetime of a response, unless the flags change before: pages of one visitor and calls of a server for one user come in bursts, and cached
 * persons are as old anyway. Milliseconds.
 */
const TTL_MS = 5_000;
/** Limit of cached requests and responses, bytes. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Longer requests are not cached. */
const MAX_REQUEST_BYTES = 4_096;

/** A response and what its validity depends on. */
export interface CachedResponse {
  token: string;
  /** `version` of the definitions it was made from; valid for this version only. */
  version: symbol;
  /** Ids of the flags that the request named. */
  requestedFlags: readonly number[];
  /** A UUID with dashes; responses of the first protocol versions do not contain it. */
  requestId: string;
  body: Buffer;
}

/** A copy of the response with another request id; both ids are UUIDs with dashes. */
export function withRequestId({ body, requestId }: CachedResponse, id: string): Buffer {
  const copy = Buffer.from(body);
  const at = copy.indexOf(`"requestId":"${requestId}"`);
  if (at !== -1) copy.write(id, at + '"requestId":"'.length, 'latin1');
  return copy;
}

/** Cache of responses to equal flags requests. */
export interface FlagResponseCache {
  /** The cache key of a request; null: too long. @param about everything else that the response depends on */
  keyOf(body: Buffer, about: readonly (string | null | undefined)[]): string | null;
  get(name: string): CachedResponse | undefined;
  set(name: string, answer: CachedResponse): void;
}

export function createFlagResponseCache(caches: Caches): FlagResponseCache {
  const answers = caches.create<string, CachedResponse>({
    name: 'flag_responses',
    max: { bytes: MAX_BYTES, bytesOf: ({ body }, name) => ENTRY_BYTES + name.length + body.length },
    ttl: TTL_MS,
  });
  return {
    // one line each; the body comes last, because it may contain line breaks
    keyOf: (body, about) => (body.length > MAX_REQUEST_BYTES ? null : `${about.join('\n')}\n${body.toString('latin1')}`),
    get: answers.get,
    set: answers.set,
  };
}
