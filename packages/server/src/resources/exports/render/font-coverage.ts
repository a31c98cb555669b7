import { closeSync, openSync, readSync } from 'node:fs';

/** The characters of the first font of a file. */
export interface Coverage {
  /** First and last code points, in turn, in ascending order. */
  ranges: readonly number[];
  /** Whether its glyphs are outlines. */
  isOutlined: boolean;
}

/** Bytes of a table of characters at most; that of the largest fonts has about 300,000. */
const MAX_TABLE = 4 * 1024 * 1024;

/**
 * Reads which characters a font has (OpenType `cmap`, formats 4 and 12) without reading the font: those of a machine may be a thousand
 * files of 20 MB. Null: the file is not a font.
 */
export function readCoverage(path: string): Coverage | null {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const start = readAt(file, 0, 16);
    const offset = start.toString('latin1', 0, 4) === 'ttcf' ? start.readUInt32BE(12) : 0;
    const count = readAt(file, offset, 12).readUInt16BE(4);
    const records = readAt(file, offset + 12, count * 16);
    const tables = new Map<string, { at: number; length: number }>();
    for (let at = 0; at + 16 <= records.length; at += 16) {
      const place = { at: records.readUInt32BE(at + 8), length: records.readUInt32BE(at + 12) };
      tables.set(records.toString('latin1', at, at + 4), place);
    }
    const characters = tables.get('cmap');
    if (!characters) return null;
    const ranges = rangesOf(readAt(file, characters.at, Math.min(characters.length, MAX_TABLE)));
    return { ranges, isOutlined: tables.has('glyf') || tables.has('CFF ') };
  } catch {
    // not a font, or damaged
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Whether a code point is in the ranges. */
export function covers({ ranges }: Coverage, codePoint: number): boolean {
  let [low, high] = [0, ranges.length / 2 - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (codePoint < (ranges[middle * 2] ?? 0)) high = middle - 1;
    else if (codePoint > (ranges[middle * 2 + 1] ?? 0)) low = middle + 1;
    else return true;
  }
  return false;
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

function rangesOf(table: Buffer): number[] {
  const starts = Array.from({ length: table.readUInt16BE(2) }, (_, i) => table.readUInt32BE(4 + i * 8 + 4));
  // format 12 has all characters, format 4 those of two bytes
  const long = starts.find((at) => table.readUInt16BE(at) === 12);
  if (long !== undefined) {
    return Array.from({ length: table.readUInt32BE(long + 12) }, (_, i) => long + 16 + i * 12).flatMap((at) => [
      table.readUInt32BE(at),
      table.readUInt32BE(at + 4),
    ]);
  }
  const short = starts.find((at) => table.readUInt16BE(at) === 4);
  if (short === undefined) return [];
  const segments = table.readUInt16BE(short + 6) / 2;
  return Array.from({ length: segments }, (_, i) => short + 14 + i * 2).flatMap((at) => [
    table.readUInt16BE(at + segments * 2 + 2),
    table.readUInt16BE(at),
  ]);
}
