import { Busboy } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../kernel/errors.js';
import { breathe } from '../kernel/yield-to-event-loop.js';
import { costsMoreThan } from './json-cost.js';
import { limitBodyMemory } from './memory-budget.js';

/** Largest body of the REST API, bytes. */
export const MAX_BODY = 20 * 1024 * 1024;

/** Most fields of a form: forms are read before it is known who sent them, and each field costs more than its bytes. */
const MAX_FIELDS = 1_000;
/** Bytes of a multipart form between two looks whether it has too many parts, and between two looks at other requests. */
const STRETCH = 64 * 1024;
const TURN = 1024 * 1024;

/** Values of JSON in a body, as {@link costsMoreThan} counts. Other requests wait while they are read and checked: about 50 ms at most. */
const MAX_VALUES = 150_000;
/** Bytes of a body of JSON, for the same reason. */
const MAX_JSON = 5 * 1024 * 1024;
/** Bytes of a url-encoded form, and of each field of a multipart form that is no file. */
const MAX_FORM = 1024 * 1024;
/**
 * Bytes of a body that is read before it is known who sent it, because it may hold the key: what strangers send costs little.
 */
const MAX_UNKNOWN = 256 * 1024;

/** As RFC 9110 has it: type, slash, subtype, and maybe parameters. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** What requests gave as their media type that is none. */
const odd = new WeakMap<FastifyRequest, string>();

/** Leaves every body as bytes, so that who asks is checked before what they sent. */
export function keepBodiesRaw(app: FastifyInstance): void {
  limitBodyMemory(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY }, (_request, body, done) => done(null, body));
  // Fastify itself refuses what is no media type, before any guard and in words of its own
  app.addHook('onRequest', async (request) => {
    const type = request.headers['content-type'];
    if (type === undefined || MEDIA_TYPE.test(type)) return;
    if (type.trim() === '') {
      // nothing is said, as without the header
      delete request.headers['content-type'];
      return;
    }
    odd.set(request, type);
    request.headers['content-type'] = 'application/octet-stream';
  });
}

/** A file in a multipart form, in place of a field's text. */
export class UploadedFile {
  constructor(readonly bytes: Buffer) {}
}

const parsed = new WeakMap<FastifyRequest, Promise<unknown>>();

/**
 * The body of a REST request, parsed once: JSON, url-encoded form or multipart form. No body counts as `{}`.
 * @throws ApiError parse_error, unsupported_media_type
 */
export function readBody(request: FastifyRequest): Promise<unknown> {
  let body = parsed.get(request);
  if (!body) {
    body = parse(request);
    parsed.set(request, body);
  }
  return body;
}

/** The body of a request by nobody knows whom, as {@link readBody}; null: it is too long to be read for a stranger, or cannot be read. */
export function readUnauthenticatedBody(request: FastifyRequest): Promise<unknown> {
  const isLong = request.body instanceof Buffer && request.body.length > MAX_UNKNOWN;
  return isLong ? Promise.resolve(null) : readBody(request).catch(() => null);
}

async function parse(request: FastifyRequest): Promise<unknown> {
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  if (bytes.length === 0) return {};
  const { 'content-encoding': coding = 'identity' } = request.headers;
  if (coding.trim().toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', `Unsupported content encoding "${coding}" in request.`);
  }
  const header = odd.get(request) ?? request.headers['content-type'] ?? '';
  const type = header.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json') return json(bytes);
  if (type === 'application/x-www-form-urlencoded') return fields(urlEncoded(bytes));
  if (type === 'multipart/form-data') return fields(await multipart(bytes, header));
  throw new ApiError('unsupported_media_type', `Unsupported media type "${type}" in request.`);
}

function json(bytes: Buffer): unknown {
  if (bytes.length > MAX_JSON) throw tooLong(MAX_JSON);
  if (costsMoreThan(MAX_VALUES, bytes)) throw new ApiError('request_too_large', 'Request body has too many values.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ApiError('parse_error', `JSON parse error - ${error instanceof Error ? error.message : 'not JSON'}`);
  }
}

const tooLong = (most: number) => new ApiError('request_too_large', `Request body is longer than ${most} bytes.`);

function urlEncoded(bytes: Buffer): URLSearchParams {
  if (bytes.length > MAX_FORM) throw tooLong(MAX_FORM);
  let count = 1;
  for (let at = bytes.indexOf('&'); at >= 0; at = bytes.indexOf('&', at + 1)) {
    if (++count > MAX_FIELDS) throw tooManyFields();
  }
  return new URLSearchParams(bytes.toString('utf8'));
}

const tooLongField = () => new ApiError('request_too_large', `A field of a form is longer than ${MAX_FORM} bytes.`);
const tooManyFields = () => new ApiError('parse_error', `A form may have at most ${MAX_FIELDS} fields.`);

/** A name given several times, or ending in `[]`, becomes a list. */
function fields(entries: Iterable<[string, string | UploadedFile]>): Record<string, unknown> {
  const out: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) {
    const key = name.replace(/\[\]$/, '');
    const earlier = out[key];
    if (Array.isArray(earlier)) earlier.push(value);
    else if (earlier !== undefined) out[key] = [earlier, value];
    else out[key] = name.endsWith('[]') ? [value] : value;
  }
  return out;
}

/** The fields and files of a multipart form. A part whose name is not said is none of them, whatever the types of the parser say. */
function multipart(bytes: Buffer, contentType: string): Promise<[string, string | UploadedFile][]> {
  return new Promise((resolve, reject) => {
    let isRefused = false;
    const refuse = (error = new ApiError('parse_error', 'Multipart form parse error - the form is malformed.')) => {
      isRefused = true;
      reject(error);
    };
    const entries: [string, string | UploadedFile][] = [];
    try {
      const headers = { 'content-type': contentType };
      // all of it is here: a part that waited to be read on would, when the parser passes it over, wait for ever
      const parser = new Busboy({ headers, limits: { fieldSize: MAX_FORM, parts: MAX_FIELDS }, fileHwm: 2 * MAX_BODY });
      const add = (name: string | undefined, value: string | UploadedFile) => name && entries.push([name, value]);
      parser.on('field', (name, value, _isNameCut, isCut) => {
        if (isCut) refuse(tooLongField());
        else add(name, value);
      });
      parser.on('file', (name, stream) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        // a file that breaks off says so here and nowhere else: unheard, it would end the process
        stream.on('error', () => refuse());
        stream.on('end', () => add(name, new UploadedFile(Buffer.concat(chunks))));
      });
      parser.on('error', () => refuse());
      parser.on('partsLimit', () => refuse(tooManyFields()));
      parser.on('finish', () => resolve(entries));
      const write = async () => {
        for (let at = 0; at < bytes.length && !isRefused; at += STRETCH) {
          parser.write(bytes.subarray(at, at + STRETCH));
          if ((at + STRETCH) % TURN === 0) await breathe();
        }
        if (!isRefused) parser.end();
      };
      write().catch(() => refuse());
    } catch {
      refuse();
    }
  });
}
