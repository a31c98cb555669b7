import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../kernel/errors.js';
import { isObject } from '../kernel/json.js';
import type { Scheduler } from '../ports/system.js';
import { bool } from './fields.js';
import { parseMultipart, parseUrlEncoded } from './form-body.js';
import { limitBodyMemory } from './memory-budget.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Of the deps; bodies are parsed by requests alone. */
    scheduler: Scheduler;
  }
}

/** Largest body of the REST API, bytes. */
const MAX_BODY = 20 * 1024 * 1024;
/** Largest body of JSON, bytes. Other requests wait while JSON is parsed and checked: about 50 ms at most. */
const MAX_JSON = 5 * 1024 * 1024;
/** Most JSON values in a body, as {@link costsMoreThan} counts, for the same reason. */
const MAX_VALUES = 150_000;
/** Largest body, in bytes, that is parsed before its sender is known, because it may hold the key: strangers must not cost much. */
const MAX_UNAUTHENTICATED = 256 * 1024;

/** A media type by RFC 9110: type, slash, subtype, and maybe parameters. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** `Content-Type` headers that are not a media type. */
const invalidTypes = new WeakMap<FastifyRequest, string>();

/**
 * Keeps every body as bytes, so that a route checks the caller before it parses the body. Fastify would parse first, and answers
 * headers that are not a media type itself, before any check.
 */
export function keepBodiesRaw(app: FastifyInstance, scheduler: Scheduler): void {
  app.decorate('scheduler', scheduler);
  limitBodyMemory(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (request, _reply, done) => {
    const type = request.headers['content-type'];
    if (type?.trim() === '') delete request.headers['content-type'];
    else if (type !== undefined && !MEDIA_TYPE.test(type)) {
      invalidTypes.set(request, type);
      request.headers['content-type'] = 'application/octet-stream';
    }
    done();
  });
}

const parsed = new WeakMap<FastifyRequest, Promise<unknown>>();

/**
 * The body of a REST request, parsed once: JSON, url-encoded form or multipart form. No body counts as `{}`.
 * @throws ApiError parse_error, request_too_large, unsupported_media_type
 */
export function readBody(request: FastifyRequest): Promise<unknown> {
  let body = parsed.get(request);
  if (!body) {
    body = parse(request);
    parsed.set(request, body);
  }
  return body;
}

/** As {@link readBody}, before the caller is known; null: the body is too long for that, or cannot be parsed. */
export function readUnauthenticatedBody(request: FastifyRequest): Promise<unknown> {
  const isLong = request.body instanceof Buffer && request.body.length > MAX_UNAUTHENTICATED;
  return isLong ? Promise.resolve(null) : readBody(request).catch(() => null);
}

/** Whether the body is a change with `deleted: false`, the only change that deleted objects take. */
export async function requestsRestore(request: FastifyRequest): Promise<boolean> {
  const body = await readBody(request);
  return isObject(body) && bool().safeParse(body['deleted']).data === false;
}

async function parse(request: FastifyRequest): Promise<unknown> {
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  if (bytes.length === 0) return {};
  const { 'content-encoding': coding = 'identity' } = request.headers;
  if (coding.trim().toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', `Unsupported content encoding "${coding}" in request.`);
  }
  const header = invalidTypes.get(request) ?? request.headers['content-type'] ?? '';
  const type = header.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json') return parseJson(bytes);
  if (type === 'application/x-www-form-urlencoded') return parseUrlEncoded(bytes);
  if (type === 'multipart/form-data') return parseMultipart(bytes, header, request.server.scheduler);
  throw new ApiError('unsupported_media_type', `Unsupported media type "${type}" in request.`);
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length > MAX_JSON) throw new ApiError('request_too_large', `Request body is longer than ${MAX_JSON} bytes.`);
  if (costsMoreThan(MAX_VALUES, bytes)) throw new ApiError('request_too_large', 'Request body has too many values.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ApiError('parse_error', `JSON parse error - ${error instanceof Error ? error.message : 'not JSON'}`);
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON, LIST, OBJECT] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b];

/** What a list or an object takes to be read beside a plain value, and a member of an object beside its value. */
const STRUCTURE = 4;

/** Whether reading JSON would take more than reading a list of `most` numbers; a text counts as one more. Looks at what stands outside of texts only. */
function costsMoreThan(most: number, bytes: Buffer): boolean {
  let left = most;
  // no byte is worth more than a structure
  if (bytes.length * STRUCTURE <= left) return false;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      isText = !isText;
      left -= isText ? 1 : 0;
    } else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) left -= 1;
    else if (byte === COLON || byte === LIST || byte === OBJECT) left -= STRUCTURE;
    if (left < 0) return true;
  }
  return false;
}
