import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

/** A page that is sent many times. Its text and its compressed form are made once, though each response has a nonce of its own. */
export interface FinishedPage {
  /** Characters, for the size of a cache. */
  length: number;
  /** The page with another nonce and this end, as it is or as gzip. */
  body(nonce: string, end: string, isGzip: boolean): Promise<Buffer>;
}

const deflate = promisify(deflateRaw);

/** RFC 1952: magic number, DEFLATE, no flags, no time, unknown system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** Bytes of a stored block at most (RFC 1951, 3.2.4). */
const MAX_STORED = 0xffff;

/** @param text the page without its end @param nonce the one in the text, which occurs nowhere else */
export function finishPage(text: string, nonce: string): FinishedPage {
  const plain = text.split(nonce).map((part) => Buffer.from(part));
  let compressed: Promise<Buffer[]> | undefined;
  return {
    length: text.length,
    body: async (other, end, isGzip) => {
      const between = Buffer.from(other);
      const last = Buffer.from(end);
      const all = [...plain.flatMap((part, i) => (i === 0 ? [part] : [between, part])), last];
      if (!isGzip) return Buffer.concat(all);
      // a full flush ends each part at a byte and lets the next one refer to nothing before it, so that parts can be joined in any way
      compressed ??= Promise.all(plain.map((part) => deflate(part, { level: 9, finishFlush: constants.Z_FULL_FLUSH })));
      const parts = await compressed;
      const nonceBlock = stored(between, false);
      const blocks = parts.flatMap((part, i) => (i === 0 ? [part] : [nonceBlock, part]));
      const foot = Buffer.alloc(8);
      foot.writeUInt32LE(all.reduce((sum, part) => crc32(part, sum), 0));
      foot.writeUInt32LE(
        all.reduce((sum, part) => sum + part.length, 0),
        4,
      );
      return Buffer.concat([GZIP_HEAD, ...blocks, stored(last, true), foot]);
    },
  };
}

/** A stored block of DEFLATE, which is not compressed. */
function stored(bytes: Buffer, isLast: boolean): Buffer {
  if (bytes.length > MAX_STORED) throw new RangeError(`${bytes.length} bytes are too many for one block.`);
  const head = Buffer.alloc(5);
  head[0] = isLast ? 1 : 0;
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ MAX_STORED, 3);
  return Buffer.concat([head, bytes]);
}
