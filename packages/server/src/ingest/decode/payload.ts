import { decodeBase64, looksLikeBase64 } from './base64.js';
import { looksLikeForm, parseForm, plusesBack } from './form.js';
import { inflate, isGzip } from './inflate.js';
import { decompressLz64 } from './lz64.js';
import { type Hold, Refusal } from './refusal.js';

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

type Hint = 'gzip' | 'lz64' | 'base64';

const HINTS: ReadonlyMap<string, Hint> = new Map([
  ['gzip', 'gzip'],
  ['gzip-js', 'gzip'],
  ['lz64', 'lz64'],
  ['lz-string', 'lz64'],
  ['base64', 'base64'],
  ['b64', 'base64'],
]);

const FORM = 'application/x-www-form-urlencoded';

const hintOf = (name: string | undefined): Hint | undefined => (name === undefined ? undefined : HINTS.get(name.toLowerCase()));

/**
 * The payload of a request as text (UTF-8, not checked), however it was wrapped. The order of the steps is the protocol's: SDKs of
 * many years mislabel what they send, and each step knows only what the ones before have left.
 * @throws Refusal missing_payload, bad_form, bad_compression, payload_too_large
 */
export async function readPayload(request: RawRequest, hold: Hold): Promise<Buffer> {
  const fromQuery = request.data ? plusesBack(Buffer.from(request.data)) : null;
  let bytes = fromQuery ?? request.body;
  if (bytes.length === 0) throw new Refusal('missing_payload');

  const queryHint = hintOf(request.compression);
  const headerHint = hintOf(request.contentEncoding);
  // lz-string's output is base64 of its own: decoding it here would destroy it
  if ((queryHint ?? headerHint) !== 'lz64') bytes = await unBase64(bytes);

  let formHint: Hint | undefined;
  if (!fromQuery && request.contentType?.startsWith(FORM)) {
    // a form by its exact type must be one; with parameters behind, the type is the browser's guess
    if (looksLikeForm(bytes)) {
      const form = await parseForm(bytes);
      if (!form.data?.length) throw new Refusal('missing_payload');
      formHint = hintOf(form.compression);
      bytes = (queryHint ?? formHint) === 'lz64' ? form.data : await unBase64(form.data);
    } else if (request.contentType === FORM) {
      throw new Refusal('bad_form');
    }
  }

  const hint = queryHint ?? formHint ?? headerHint;
  if (hint === 'gzip' || isGzip(bytes)) bytes = await inflate(bytes, 'gzip', request.cap, hold);
  else if (hint === 'lz64') bytes = Buffer.from(decompressLz64(bytes));
  if (request.legacy) bytes = await unBase64(bytes);
  if (bytes.length > request.cap) throw new Refusal('payload_too_large');
  return bytes;
}

/** Decoded once if it looks like base64 and is. */
async function unBase64(bytes: Buffer): Promise<Buffer> {
  if (!looksLikeBase64(bytes) || looksLikeForm(bytes)) return bytes;
  return (await decodeBase64(bytes)) ?? bytes;
}
