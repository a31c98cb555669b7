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

/** The whole records at the start of the bytes of a file; what a crash left half written, and all behind it, is none. */
export function* decodeRecords(bytes: Buffer): Generator<LogRecord> {
  let at = 0;
  while (at + HEAD <= bytes.length) {
    const end = at + CHECKED_FROM + bytes.readUInt32LE(at);
    if (end < at + HEAD || end > bytes.length) return;
    if (crc32(bytes.subarray(at + CHECKED_FROM, end)) !== bytes.readUInt32LE(at + 4)) return;
    const kind = KINDS[bytes.readUInt8(at + 20)];
    const rowsAt = at + HEAD + bytes.readUInt8(at + 21);
    if (!kind || rowsAt > end) return;
    yield {
      seq: bytes.readUIntLE(at + 8, 6),
      applied: bytes.readUIntLE(at + 14, 6),
      ...kind,
      token: bytes.toString('latin1', at + HEAD, rowsAt),
      rows: bytes.subarray(rowsAt, end),
    };
    at = end;
  }
}
