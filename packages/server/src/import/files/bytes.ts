import { createReadStream, statSync } from 'node:fs';

/** The bytes of a file, of an object in a bucket or of a file in an archive. */
export interface Bytes {
  size: number;
  /** The bytes from `start` to `end`, which is not included. */
  read(start: number, end: number): AsyncIterable<Buffer>;
}

/** Bytes with the name that sentences give them. */
export interface SourceFile {
  path: string;
  bytes: Bytes;
}

/** Bytes of one read of a file. */
const READ_BYTES = 256 * 1024;

/** The bytes of a file on this machine. */
export const bytesOfFile = (path: string, size: number): Bytes => ({
  size,
  read: (start, end) => createReadStream(path, { start, end: Math.max(start, end) - 1, highWaterMark: READ_BYTES }),
});

/** A file on this machine. */
export const localFile = (path: string): SourceFile => ({ path, bytes: bytesOfFile(path, statSync(path).size) });

/** A part of the bytes as a whole. */
export async function readWhole(bytes: Bytes, start: number, end: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  if (end > start) for await (const part of bytes.read(start, end)) parts.push(part);
  return Buffer.concat(parts);
}
