import { type FileHandle, mkdir, open, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { syncDirectory } from '../../system/index.js';
import { encodeRecord, readRecords, type WalPosition, type WalRecord } from './record.js';

/** Size at which a new file begins; bytes. */
const SEGMENT_BYTES = 32 * 1024 * 1024;
const NAME = /^(\d{16})\.log$/;

/** The files of the log, each named after its first record. */
export interface Segments {
  /**
   * Appends records. Resolves when they are on the disk, with the position of each one's rows. One call at a time.
   * @throws Error with a `code` when they could not be written; the log is then as it was before
   */
  append(records: readonly WalRecord[]): Promise<WalPosition[]>;
  /** Ends the current file: the next append begins a new one. Not beside an append. */
  rotate(): Promise<void>;
  /** Deletes the files whose records all have numbers up to `applied`. */
  release(applied: number): Promise<void>;
  /** Closes the log and, if all records were applied, deletes its files. */
  close(allApplied: boolean): Promise<void>;
}

interface Segment {
  path: string;
  lastSeq: number;
}

export interface OpenedSegments {
  segments: Segments;
  /** Records that an earlier process may not have applied. */
  left: WalRecord[];
  /** Number of the newest record; 0 when there is none. */
  lastSeq: number;
}

/** Bytes of the log that are no record, and the file with a copy of them. */
export interface Damage {
  file: string;
  bytes: number;
  keptIn: string;
}

/** Opens the log of a directory. Damaged bytes are copied beside the directory; the records around them are read. */
export async function openSegments(
  directory: string,
  fsync: boolean,
  onDamage: (damage: Damage) => void = () => {},
): Promise<OpenedSegments> {
  await mkdir(directory, { recursive: true });
  const left: WalRecord[] = [];
  const full: Segment[] = [];
  let applied = 0;
  for (const name of (await readdir(directory)).filter((file) => NAME.test(file)).sort()) {
    const path = join(directory, name);
    let lastSeq = 0;
    const { records, damaged } = readRecords(await readFile(path));
    for (const { at, bytes } of damaged) {
      const keptIn = join(`${directory}-damaged`, `${name}.${at}`);
      await save(keptIn, bytes);
      onDamage({ file: path, bytes: bytes.length, keptIn });
    }
    for (const record of records) {
      left.push(record);
      lastSeq = record.seq;
      applied = Math.max(applied, record.applied);
    }
    if (lastSeq > 0) full.push({ path, lastSeq });
    else await unlink(path);
  }
  let file: FileHandle | null = null;
  let current: Segment | null = null;
  let position = 0;

  const start = async (seq: number) => {
    await file?.close();
    if (current) full.push(current);
    const path = resolve(directory, `${String(seq).padStart(16, '0')}.log`);
    file = await open(path, 'w');
    current = { path, lastSeq: 0 };
    position = 0;
    if (fsync) await syncDirectory(directory);
    return file;
  };

  const segments: Segments = {
    append: async (records) => {
      const [first] = records;
      if (!first) return [];
      const target = file && position < SEGMENT_BYTES ? file : await start(first.seq);
      const encoded = records.map(encodeRecord);
      const buffers = encoded.flat();
      const positions: WalPosition[] = [];
      try {
        const size = await writeAll(target, buffers, position);
        if (fsync) await target.datasync();
        let offset = position;
        for (const [head, rows] of encoded) {
          positions.push({ path: current?.path ?? '', offset: offset + head.length });
          offset += head.length + rows.length;
        }
        position += size;
      } catch (error) {
        // a partial record would hide the next one from a reader
        await target.truncate(position).catch(() => {
          position = SEGMENT_BYTES;
        });
        throw error;
      }
      if (current) current.lastSeq = records.at(-1)?.seq ?? 0;
      return positions;
    },
    rotate: async () => {
      // an empty one would have no last record to release it by
      if (!file || !current || position === 0) return;
      await file.close();
      full.push(current);
      file = null;
      current = null;
    },
    release: async (upTo) => {
      while (full[0] && full[0].lastSeq <= upTo) await unlink(full.shift()?.path ?? '');
    },
    close: async (allApplied) => {
      await file?.close();
      if (allApplied) for (const { path } of current ? [...full, current] : full) await rm(path, { force: true });
    },
  };
  return { segments, left: left.filter(({ seq }) => seq > applied), lastSeq: full.at(-1)?.lastSeq ?? 0 };
}

async function save(path: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes, { flush: true });
}

/** Writes all bytes, or throws: on a full disk `writev` writes a part without an error. */
async function writeAll(file: FileHandle, buffers: readonly Buffer[], position: number): Promise<number> {
  const size = buffers.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await file.writev(buffers, position);
  if (bytesWritten < size) throw Object.assign(new Error('The disk took only a part.'), { code: 'ENOSPC' });
  return size;
}
