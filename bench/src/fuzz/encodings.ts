import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { pick, type Random } from '@tidemark/testkit';
import lzString from 'lz-string';
import { chance, oddText, whole } from './values.js';

/** An encoded payload. */
export interface Encoded {
  bytes: Buffer;
  headers: Record<string, string>;
  search: string;
}

/** A decompression bomb: zeros that expand a thousandfold. */
const BOMB = gzipSync(Buffer.alloc(30 * 1024 * 1024));
const FORM = 'application/x-www-form-urlencoded';
/** Maximal size of payloads compressed as LZ64, bytes: it takes the fuzzer longer than the service. */
const MOST_LZ = 16 * 1024;
/** The best compression would take the fuzzer longer than the service. */
const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };

const encoders: readonly [Encoder, ...Encoder[]] = [
  (_, bytes) => plain(bytes),
  (_, bytes) => plain(bytes),
  (_, bytes) => byHeader('gzip', gzipSync(bytes, { level: 1 })),
  (_, bytes) => byHeader('gzip', gzipSync(bytes, { level: 1 })),
  (_, bytes) => byHeader('deflate', deflateSync(bytes, { level: 1 })),
  (_, bytes) => byHeader('br', brotliCompressSync(bytes, FAST_BROTLI)),
  (_, bytes) => byHeader('zstd', zstdFrame(bytes)),
  (random, bytes) => ({ ...plain(damagedBytes(random, gzipSync(bytes, { level: 1 }))), search: '?compression=gzip-js' }),
  (_, bytes) => ({ ...plain(Buffer.from(bytes.toString('base64'))), search: '?compression=base64' }),
  (_, bytes) => ({ ...plain(Buffer.from(lz64(bytes))), search: '?compression=lz64' }),
  (_, bytes) => form(`data=${encodeURIComponent(bytes.toString('base64'))}`),
  (_, bytes) => form(`data=${encodeURIComponent(lz64(bytes))}&compression=lz64`),
  (_, bytes) => form(`data=${encodeURIComponent(bytes.toString())}`),
  (random, bytes) => multipart(random, bytes),
  (_, bytes) => ({ ...plain(Buffer.from(`[${bytes}]\n${bytes}\n`)), headers: { 'content-type': 'application/x-ndjson' } }),
  (random, bytes) => ({
    ...plain(bytes),
    headers: { 'content-type': 'application/json', 'content-encoding': oddHeader(random) },
  }),
  // a misleading `compression` hint
  (random, bytes) => ({ ...plain(bytes), search: `?compression=${pick(random, ['gzip', 'lz64', 'base64', 'zstd', 'br', 'x'])}` }),
];
type Encoder = (random: Random, bytes: Buffer) => Encoded;

/** A payload in one of the encodings that client libraries use, sometimes damaged or mislabelled. */
export function encoded(random: Random, text: string): Encoded {
  if (chance(random, 0.000_5)) return byHeader('gzip', BOMB);
  const result = pick(random, encoders)(random, damaged(random, text));
  if (chance(random, 0.05)) result.bytes = damagedBytes(random, result.bytes);
  if (chance(random, 0.1))
    result.headers['content-type'] = pick(random, ['text/plain', '', 'application/json; charset=latin1', FORM]);
  return result;
}

/** The bytes of a text, sometimes corrupted. */
export const damaged = (random: Random, text: string): Buffer => {
  const bytes = Buffer.from(text);
  return chance(random, 0.92) ? bytes : damagedBytes(random, bytes);
};

function damagedBytes(random: Random, bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes;
  const at = whole(random, bytes.length);
  if (chance(random, 0.4)) return bytes.subarray(0, at);
  if (chance(random, 0.5))
    return Buffer.concat([bytes.subarray(0, at), Buffer.from([whole(random, 256)]), bytes.subarray(at + 1)]);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc0, 0x22]), bytes.subarray(at)]);
}

const lz64 = (bytes: Buffer): string => lzString.compressToBase64(bytes.toString('utf8', 0, MOST_LZ));
const plain = (bytes: Buffer): Encoded => ({ bytes, headers: { 'content-type': 'application/json' }, search: '' });
const byHeader = (encoding: string, bytes: Buffer): Encoded => ({
  bytes,
  headers: { 'content-type': 'application/json', 'content-encoding': encoding },
  search: '',
});
const form = (text: string): Encoded => ({ bytes: Buffer.from(text), headers: { 'content-type': FORM }, search: '' });

function multipart(random: Random, bytes: Buffer): Encoded {
  const boundary = chance(random, 0.9) ? 'fuzz' : 'other';
  const head = `--fuzz\r\ncontent-disposition: form-data; name="data"\r\n\r\n`;
  return {
    bytes: Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--fuzz--\r\n')]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    search: '',
  };
}

const oddHeader = (random: Random): string => oddText(random).replace(/[^\w]/g, '').slice(0, 4_000) || 'x';

/** Largest block of a Zstandard frame, bytes. */
const ZSTD_BLOCK = 128 * 1024;

/** A Zstandard frame whose blocks are stored as they are: not every version of Node.js compresses to it. */
function zstdFrame(bytes: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt32LE(0xfd2fb528);
  // one segment, whose size follows in four bytes
  head.writeUInt8(0b1010_0000, 4);
  head.writeUInt32LE(bytes.length, 5);
  const parts: Uint8Array[] = [head];
  for (let at = 0; at === 0 || at < bytes.length; at += ZSTD_BLOCK) {
    const block = bytes.subarray(at, at + ZSTD_BLOCK);
    const isLast = at + ZSTD_BLOCK >= bytes.length;
    const blockHead = Buffer.alloc(3);
    blockHead.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3);
    parts.push(blockHead, block);
  }
  return Buffer.concat(parts);
}
