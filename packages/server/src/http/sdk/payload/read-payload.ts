import { isUtf8 } from 'node:buffer';
import type { Scheduler } from '../../../ports/system.js';
import type { Decoding } from '../decoding.js';
import { SdkError } from '../sdk-error.js';
import { decodeBase64, looksLikeBase64 } from './base64.js';
import { looksLikeForm, parseForm, plusesBack } from './form.js';
import { type Encoding, inflate, isGzip } from './inflate.js';
import { decompressLz64 } from './lz64.js';
import { listOfLines } from './ndjson.js';
import { isZstd } from './zstd-frames.js';

/** What of a request can carry or describe its payload. */
export interface RawRequest {
  body: Buffer;
  /** Query parameter `data`. */
  data: string | undefined;
  /** Query parameter `compression`. */
  compression: string | undefined;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  /** A path of the first SDKs, which encoded twice. */
  legacy: boolean;
  /** Largest decompressed payload, bytes. */
  cap: number;
}

type Hint = Encoding | 'lz64' | 'base64';

const HINTS: ReadonlyMap<string, Hint> = new Map([
  ['gzip', 'gzip'],
  ['gzip-js', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['lz64', 'lz64'],
  ['lz-string', 'lz64'],
  ['base64', 'base64'],
  ['b64', 'base64'],
]);

const FORM = 'application/x-www-form-urlencoded';

const NDJSON: ReadonlySet<string> = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
]);

const hintOf = (name: string | undefined): Hint | undefined =>
  name === undefined ? undefined : HINTS.get(name.trim().toLowerCase());

/**
 * The payload of a request as text (UTF-8, not checked), however it was wrapped. The order of the steps is the protocol's: SDKs of
 * many years mislabel what they send, and each step knows only what the ones before have left.
 * @throws SdkError missing_payload, bad_form, bad_compression, unknown_encoding, payload_too_large, overloaded
 */
export async function readPayload(request: RawRequest, decoding: Decoding): Promise<Buffer> {
  const { scheduler } = decoding;
  const fromQuery = request.data ? plusesBack(Buffer.from(request.data)) : null;
  let bytes = fromQuery ?? request.body;
  if (bytes.length === 0) throw new SdkError('missing_payload');

  const queryHint = hintOf(request.compression);
  const headerHint = hintOf(request.contentEncoding);
  // lz-string's output is base64 of its own: decoding it here would destroy it
  if ((queryHint ?? headerHint) !== 'lz64') bytes = await unBase64(bytes, scheduler);

  let formHint: Hint | undefined;
  if (!fromQuery && request.contentType?.startsWith(FORM)) {
    // a form by its exact type must be one; with parameters behind, the type is the browser's guess
    if (looksLikeForm(bytes)) {
      const form = await parseForm(bytes, scheduler);
      if (!form.data?.length) throw new SdkError('missing_payload');
      formHint = hintOf(form.compression);
      bytes = (queryHint ?? formHint) === 'lz64' ? form.data : await unBase64(form.data, scheduler);
    } else if (request.contentType === FORM) {
      throw new SdkError('bad_form');
    }
  }

  const encoding = encodingOf(bytes, queryHint ?? formHint ?? headerHint);
  if (encoding === 'lz64') bytes = Buffer.from(decompressLz64(bytes));
  else if (encoding) bytes = await inflate(bytes, encoding, request.cap, decoding);
  else refuseUnknown(bytes, request);
  if (request.legacy) bytes = await unBase64(bytes, scheduler);
  if (bytes.length > request.cap) throw new SdkError('payload_too_large');
  return isNdjson(request.contentType) ? listOfLines(bytes, decoding) : bytes;
}

/** What begins like gzip or Zstandard is that: current SDKs do not say so. */
function encodingOf(bytes: Buffer, hint: Hint | undefined): Encoding | 'lz64' | null {
  if (isGzip(bytes)) return 'gzip';
  if (isZstd(bytes)) return 'zstd';
  return hint === undefined || hint === 'base64' ? null : hint;
}

/** Headers name encodings that a proxy has undone or that never were, so only text that cannot be read is refused for them. */
function refuseUnknown(bytes: Buffer, { compression, contentEncoding }: RawRequest): void {
  const name = [compression, contentEncoding].find((one) => one && one !== 'identity' && hintOf(one) === undefined);
  if (name === undefined || isUtf8(bytes)) return;
  const sentence = `The encoding "${name.slice(0, 50)}" is not taken here: use gzip, deflate, br or zstd, or none.`;
  throw new SdkError('unknown_encoding', sentence);
}

const isNdjson = (type: string | undefined): boolean => NDJSON.has(type?.split(';')[0]?.trim().toLowerCase() ?? '');

/** Decoded once if it looks like base64 and is. */
async function unBase64(bytes: Buffer, scheduler: Scheduler): Promise<Buffer> {
  if (!looksLikeBase64(bytes) || looksLikeForm(bytes)) return bytes;
  return (await decodeBase64(bytes, scheduler)) ?? bytes;
}
