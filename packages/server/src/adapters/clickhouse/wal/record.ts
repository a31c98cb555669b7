import { crc32 } from 'node:zlib';
import type { EventTables, RowsFormat } from '../../../ports/events.js';
import type { Piece } from '../engine/protocol.js';

/** Rows on their way into a table, as the log holds them. */
export interface LogRecord {
  /** Counts up by one from record to record. */
  seq: number;
  /** All records up to this one were in their tables when this one was written. */
  applied: number;
  table: keyof EventTables;
  format: RowsFormat;
  token: string;
  rows: Buffer;
  /** Where the rows stand in the log, when this process has written them. */
  place?: LogPlace;
}

export type LogPlace = Omit<Piece, 'length'>;

/** Which rows a record holds. A number on the disk stands for its kind for ever: only append. */
const KINDS: readonly Pick<LogRecord, 'table' | 'format'>[] = [
  { table: 'events', format: 'lines' },
  { table: 'persons', format: 'lines' },
  { table: 'person_overrides', format: 'lines' },
  { table: 'groups', format: 'lines' },
  { table: 'events', format: 'binary' },
];

/** Length of what follows the checksum (4), checksum of it (4), seq (6), applied (6), kind (1), length of the token (1). */
const HEAD = 22;
const CHECKED_FROM = 8;

/** The bytes of a record: its head, and the rows as they came, so that nothing is copied. */
export function encodeRecord({
  seq,
  applied,
  table,
  format,
  token,
  rows,
}: Omit<LogRecord, 'place'>): [head: Buffer, rows: Buffer] {
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

/** What a file of the log holds. */
export interface ReadLog {
  /** The whole records, in their order. */
  records: LogRecord[];
  /** Stretches that are no record: what a crash left half written, or bytes that changed on the disk. */
  damaged: { at: number; bytes: Buffer }[];
}

/** Reads the bytes of a file. Records behind a damaged one are found again. */
export function readRecords(bytes: Buffer): ReadLog {
  const log: ReadLog = { records: [], damaged: [] };
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

/** The whole record at a place; null: there is none. */
function recordAt(bytes: Buffer, at: number): { record: LogRecord; end: number } | null {
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

/** A damaged record hides few others: a sequence number much further on is no neighbour's. */
const MOST_HIDDEN = 100_000;

/**
 * Where the log goes on behind a damaged record, else the end of the bytes. The place that the length of the record tells is tried first.
 * Any other place counts only when everything from there on is a record: rows may hold bytes that look like one.
 */
function nextRecord(bytes: Buffer, damagedAt: number, lastSeq: number): number {
  const isNext = (at: number): boolean => {
    if (at + HEAD > bytes.length) return false;
    const seq = bytes.readUIntLE(at + 8, 6);
    return seq > lastSeq && seq - lastSeq <= MOST_HIDDEN && recordAt(bytes, at) !== null;
  };
  const told = damagedAt + HEAD <= bytes.length ? damagedAt + CHECKED_FROM + bytes.readUInt32LE(damagedAt) : bytes.length;
  if (told > damagedAt && isNext(told)) return told;
  for (let at = damagedAt + 1; at + HEAD <= bytes.length; at++) if (isNext(at) && isWhole(bytes, at)) return at;
  return bytes.length;
}

/** Whether there are only records from a place on, in the order of their numbers. */
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
