import type { SourceFile } from './bytes.js';
import { readBytes } from './decompress.js';
import { CHUNK_CHARACTERS, CHUNK_RECORDS, type FileRecord, MAX_RECORD, type RecordChunk } from './record.js';

const NEWLINE = 10;

/**
 * The records of a file with one JSON object a line, empty lines apart. A line that is too long is read over without keeping it.
 * @param skip records that were read before
 * @throws ImportError the file cannot be read to its end; all chunks before are whole
 */
export async function* readLines(file: SourceFile, skip: number): AsyncGenerator<RecordChunk> {
  let at = 0;
  let records: FileRecord[] = [];
  let characters = 0;
  for await (const line of splitLines(file)) {
    if (line !== null && line.trim() === '') continue;
    if (at + records.length < skip) {
      at++;
      continue;
    }
    records.push(line === null ? { problem: `the line is longer than ${MAX_RECORD / 1024 / 1024} MB` } : parseLine(line));
    characters += line?.length ?? 0;
    if (records.length >= CHUNK_RECORDS || characters >= CHUNK_CHARACTERS) {
      yield { at, records };
      at += records.length;
      records = [];
      characters = 0;
    }
  }
  if (records.length > 0) yield { at, records };
}

function parseLine(line: string): FileRecord {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value };
    return { problem: 'the line is not a JSON object' };
  } catch {
    return { problem: 'the line is not JSON' };
  }
}

/** The mark that some programs write before the first line: it is none of its characters. */
const withoutMark = (line: string): string => (line.startsWith('\ufeff') ? line.slice(1) : line);

/** The lines of a file; null for a line that is too long. */
async function* splitLines(file: SourceFile): AsyncGenerator<string | null> {
  let parts: Buffer[] = [];
  let length = 0;
  let isTooLong = false;
  let isFirst = true;
  const take = (): string | null => {
    const text = isTooLong ? null : Buffer.concat(parts).toString('utf8');
    const line = isFirst && text !== null ? withoutMark(text) : text;
    isFirst = false;
    parts = [];
    length = 0;
    isTooLong = false;
    return line;
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length > MAX_RECORD) {
      isTooLong = true;
      parts = [];
    } else parts.push(part);
  };
  for await (const chunk of readBytes(file)) {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from);
      if (end < 0) break;
      add(chunk.subarray(from, end));
      yield take();
      from = end + 1;
    }
    if (from < chunk.length) add(Buffer.from(chunk.subarray(from)));
  }
  if (length > 0) yield take();
}
