import { type FileHandle, open } from 'node:fs/promises';
import type { FileRange } from './protocol.js';

/** Reads ranges of files into one buffer, in their order. @throws Error when a file ends before its range */
export async function readRanges(ranges: readonly FileRange[]): Promise<Buffer> {
  const all = Buffer.allocUnsafeSlow(ranges.reduce((sum, { length }) => sum + length, 0));
  const files = new Map<string, FileHandle>();
  let at = 0;
  try {
    for (const { path, offset, length } of ranges) {
      const file = files.get(path) ?? (await open(path));
      files.set(path, file);
      const { bytesRead } = await file.read(all, at, length, offset);
      if (bytesRead < length) throw new Error(`${path} ends before ${offset + length}.`);
      at += length;
    }
  } finally {
    for (const file of files.values()) await file.close();
  }
  return all;
}
