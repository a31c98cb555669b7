import { crc32 } from 'node:zlib';
import type { EventTables } from '../../../ports/events.js';
import type { FileRange, RowsFormat } from '../engine/protocol.js';

/** Encoded rows of one append, and where they go. */
export interface WalRecord {
  /** Counts up by one from record to record. */
  seq: number;
  /** All records up to this one were in their tables when this one was written. */
  applied: number;
  table: keyof EventTables;
  format: RowsFormat;
  token: string;
  rows: Buffer;
  /** Where the rows are in a segment file, if this process has written them. */
  position?: WalPosition;
}

export type WalPosition = Omit<FileRange, 'length'>;

/** Kinds of records. The disk has the index: only append. */
const KINDS: readonly Pick<WalRecord, 'table' | 'format'>[] = [
  { table: 'events', format: 'lines' },
  { table: 'persons', format: 'lines' },
  { table: 'person_overrides', format: 'lines' },
  { table: 'groups', format: 'lines' },
  { table: 'events', format: 'binary' },
];

/**
 * A file is a sequence of records, all numbers little-endian:
 *
 *     file   = { record } ;
 *     record = length (4 bytes: of all that follows the checksum) checksum (4: CRC-32 of it)
 *              seq (6) applied (6) kind (1) token-length (1) token rows ;
 */
const HEAD = 22;
const CHECKED_FROM = 8;

/** The bytes of a record in two parts, so that the rows are not copied. */
export function encodeRecord({
  seq,
  applied,
  table,
  format,
  token,
  rows,
}: Omit<WalRecord, 'position'>): [head: Buffer, rows: Buffer] {
  const head = Buffer.allocUnsafe(HEAD + token.length);
  head.writeUInt32LE(head.length - CHECKED_FROM + rows.length, 0);
  head.writeUIntLE(seq, 8, 6);
  head.writeUIntLE(applied, 14, 6);
  head.writeUInt8(
    KINDS.findIndex((kind) => kind.table === table && kind.format === format),
    20,
  );
  head.writeUInt8(token.length, 21);
  head.write(token, HEAD, 'latin1');
  head.writeUInt32LE(crc32(rows, crc32(head.subarray(CHECKED_FROM))), 4);
  return [head, rows];
}

/** The contents of a segment file. */
export interface ReadRecords {
  /** The intact records, in their order. */
  records: WalRecord[];
  /** Bytes that are no record: a write that a crash cut off, or damage on the disk. */
  damaged: { at: number; bytes: Buffer }[];
}

/** Decodes a segment file. Records behind a damaged one are found again. */
export function readRecords(bytes: Buffer): ReadRecords {
  const log: ReadRecords = { records: [], damaged: [] };
  for (let at = 0; at < bytes.length; ) {
    const found = recordAt(bytes, at);
    if (found) {
      log.records.push(found.record);
      at = found.end;
      continue;
    }
    const next = nextRecord(bytes, at, log.records.at(-1)?.seq ?? 0);
    log.damaged.push({ at, bytes: bytes.subarray(at, next) });
    at = next;
  }
  return log;
}

/** The intact record that begins at an offset; null when there is none. */
function recordAt(bytes: Buffer, at: number): { record: WalRecord; end: number } | null {
  if (at + HEAD > bytes.length) return null;
  const end = at + CHECKED_FROM + bytes.readUInt32LE(at);
  if (end < at + HEAD || end > bytes.length) return null;
  const kind = KINDS[bytes.readUInt8(at + 20)];
  const rowsAt = at + HEAD + bytes.readUInt8(at + 21);
  if (!kind || rowsAt > end) return null;
  if (crc32(bytes.subarray(at + CHECKED_FROM, end)) !== bytes.readUInt32LE(at + 4)) return null;
  const record = {
    seq: bytes.readUIntLE(at + 8, 6),
    applied: bytes.readUIntLE(at + 14, 6),
    ...kind,
    token: bytes.toString('latin1', at + HEAD, rowsAt),
    rows: bytes.subarray(rowsAt, end),
  };
  return { record, end };
}

/** Most records that damage may hide: a much higher sequence number is not one of this log. */
const MOST_HIDDEN = 100_000;

/**
 * The offset of the next record behind a damaged one, else the end of the bytes. The end by the damaged record's own length is tried
 * first. Any other offset counts only if all bytes from there on are records: rows may contain bytes that look like one.
 */
function nextRecord(bytes: Buffer, damagedAt: number, lastSeq: number): number {
  const isNext = (at: number): boolean => {
    if (at + HEAD > bytes.length) return false;
    const seq = bytes.readUIntLE(at + 8, 6);
    return seq > lastSeq && seq - lastSeq <= MOST_HIDDEN && recordAt(bytes, at) !== null;
  };
  const byLength = damagedAt + HEAD <= bytes.length ? damagedAt + CHECKED_FROM + bytes.readUInt32LE(damagedAt) : bytes.length;
  if (byLength > damagedAt && isNext(byLength)) return byLength;
  for (let at = damagedAt + 1; at + HEAD <= bytes.length; at++) if (isNext(at) && isWhole(bytes, at)) return at;
  return bytes.length;
}

/** Whether all bytes from an offset on are records, in the order of their numbers. */
function isWhole(bytes: Buffer, from: number): boolean {
  let lastSeq = 0;
  for (let at = from; at < bytes.length; ) {
    const found = recordAt(bytes, at);
    if (!found || found.record.seq <= lastSeq) return false;
    lastSeq = found.record.seq;
    at = found.end;
  }
  return true;
}
