import { type FileHandle, open } from 'node:fs/promises';
import type { Piece } from './protocol.js';

/** Parts of files, one behind the other. @throws Error when one is not whole */
export async function readPieces(pieces: readonly Piece[]): Promise<Buffer> {
  const all = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  const files = new Map<string, FileHandle>();
  let at = 0;
  try {
    for (const { path, offset, length } of pieces) {
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
