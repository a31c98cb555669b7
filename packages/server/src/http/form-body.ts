import { Busboy } from '@fastify/busboy';
import { ApiError } from '../kernel/errors.js';
import type { Scheduler } from '../ports/system.js';

/** Fields of a form at most: a form is read before its sender is known, and each field costs more than its bytes. */
const MAX_FIELDS = 1_000;
/** Bytes of a url-encoded form, and of each field of a multipart form that is not a file. */
const MAX_FORM = 1024 * 1024;
/** Bytes of a multipart form that are parsed at once: after each chunk the parser may stop at too many parts, */
const CHUNK = 64 * 1024;
/** and after these bytes other requests have their turn. */
const YIELD_EVERY = 1024 * 1024;

/** A file in a multipart form, in place of a field's text. */
export class UploadedFile {
  constructor(readonly bytes: Buffer) {}
}

type Entry = [name: string, value: string | UploadedFile];

/** The fields of a url-encoded form. @throws ApiError request_too_large, parse_error */
export function parseUrlEncoded(bytes: Buffer): Record<string, unknown> {
  if (bytes.length > MAX_FORM) throw new ApiError('request_too_large', `Request body is longer than ${MAX_FORM} bytes.`);
  let count = 1;
  for (let at = bytes.indexOf('&'); at >= 0; at = bytes.indexOf('&', at + 1)) {
    if (++count > MAX_FIELDS) throw tooManyFields();
  }
  return toFields(new URLSearchParams(bytes.toString('utf8')));
}

/** The fields and files of a multipart form. @throws ApiError request_too_large, parse_error */
export async function parseMultipart(bytes: Buffer, contentType: string, scheduler: Scheduler): Promise<Record<string, unknown>> {
  return toFields(await readParts(bytes, contentType, scheduler));
}

const tooLongField = () => new ApiError('request_too_large', `A field of a form is longer than ${MAX_FORM} bytes.`);
const tooManyFields = () => new ApiError('parse_error', `A form may have at most ${MAX_FIELDS} fields.`);
const malformed = () => new ApiError('parse_error', 'Multipart form parse error - the form is malformed.');

/** A name that is repeated, or that ends in `[]`, becomes a list. */
function toFields(entries: Iterable<Entry>): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) {
    const key = name.replace(/\[\]$/, '');
    const earlier = fields[key];
    if (Array.isArray(earlier)) earlier.push(value);
    else if (earlier !== undefined) fields[key] = [earlier, value];
    else fields[key] = name.endsWith('[]') ? [value] : value;
  }
  return fields;
}

function readParts(bytes: Buffer, contentType: string, scheduler: Scheduler): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    let hasFailed = false;
    const fail = (error: ApiError) => {
      hasFailed = true;
      reject(error);
    };
    const entries: Entry[] = [];
    // the types of the parser hide that a part may have no name: it is skipped
    const add = (name: string | undefined, value: string | UploadedFile) => name && entries.push([name, value]);
    try {
      const headers = { 'content-type': contentType };
      // a file stream that paused for a reader would never end when the parser skips its part, so the buffer takes all of it
      const parser = new Busboy({ headers, limits: { fieldSize: MAX_FORM, parts: MAX_FIELDS }, fileHwm: 2 * bytes.length + 1 });
      parser.on('field', (name, value, _isNameCut, isCut) => (isCut ? fail(tooLongField()) : add(name, value)));
      parser.on('file', (name, stream) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        // only the stream reports a file that breaks off, and an error event without a listener would end the process
        stream.on('error', () => fail(malformed()));
        stream.on('end', () => add(name, new UploadedFile(Buffer.concat(chunks))));
      });
      parser.on('error', () => fail(malformed()));
      parser.on('partsLimit', () => fail(tooManyFields()));
      parser.on('finish', () => resolve(entries));
      const write = async () => {
        for (let at = 0; at < bytes.length && !hasFailed; at += CHUNK) {
          parser.write(bytes.subarray(at, at + CHUNK));
          if ((at + CHUNK) % YIELD_EVERY === 0) await scheduler.yield();
        }
        if (!hasFailed) parser.end();
      };
      write().catch(() => fail(malformed()));
    } catch {
      fail(malformed());
    }
  });
}
