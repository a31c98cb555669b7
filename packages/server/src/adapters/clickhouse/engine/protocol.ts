import type { Duplex } from 'node:stream';
import type { Workload } from '../../../ports/events.js';

/** Settings of ClickHouse by name. */
export type Settings = Record<string, string | number>;

/** `lines`: JSONEachRow, one object a line. `binary`: RowBinary as `encodeEvents` writes it, for rows of `events` only. */
export type RowsFormat = 'lines' | 'binary';

/** A range of bytes in a file. */
export interface FileRange {
  /** Absolute. */
  path: string;
  /** First byte. */
  offset: number;
  /** Bytes. */
  length: number;
}

/** How the engine process opens the engine. */
export interface EngineOptions {
  /** Absolute path of the engine's directory. */
  path: string;
  /** Bytes that the engine may use. */
  memory: number;
  database: string;
  /** Milliseconds to wait for another process to leave the directory. */
  patience: number;
}

/** The database of tables in the engine's memory, which end with its process. */
export const MEMORY_DATABASE = 'memory';

/** The table of an insert, and the format of its rows. */
export interface InsertTarget {
  table: string;
  format: RowsFormat;
}

/** A read statement. */
interface ReadCall {
  sql: string;
  /** Values in ClickHouse's escaped text form. */
  params: Record<string, string>;
  settings: Settings;
  /** The project; null: the service itself. */
  tenant: number | null;
  /** Who waits for the result. */
  workload: Workload;
}

/** A statement that makes, fills or drops a table of {@link MEMORY_DATABASE}. */
interface MemoryCall {
  sql: string;
  /** Values in ClickHouse's escaped text form. */
  params: Record<string, string>;
  settings: Settings;
}

/** What the service requests from the engine process; the rows of an insert are the frame's body. */
export type Request =
  | ({ op: 'open' } & EngineOptions)
  | ({ op: 'insert'; settings: Settings } & InsertTarget)
  /** An insert whose rows the engine process reads from files. */
  | ({ op: 'insertRanges'; settings: Settings; ranges: readonly FileRange[] } & InsertTarget)
  | { op: 'write'; sql: string }
  /** A statement that copies rows to or from a file, one at a time, for as long as it takes. */
  | { op: 'copy'; sql: string }
  | ({ op: 'memory' } & MemoryCall)
  | ({ op: 'read' } & ReadCall)
  /** Cancels the read with that request id, whether it runs or waits. */
  | { op: 'kill'; read: number }
  /** Proves that the process responds; needs no session. */
  | { op: 'ping' }
  | { op: 'close' };

export type NumberedRequest = Request & { id: number };

/** The response to request `id`; a result is the frame's body. */
export interface Reply {
  id: number;
  /** The engine's own message, which may quote the data. */
  error?: string;
}

/** Bytes before the header: two 32-bit lengths, of the header and of the body. */
const PREFIX = 8;
const EMPTY = Buffer.alloc(0);

/** Writes `[u32 header length][u32 body length][header as JSON][body]`. The body is not copied. */
export function writeFrame(stream: Duplex, header: object, body: Buffer = EMPTY): void {
  const json = Buffer.from(JSON.stringify(header));
  const head = Buffer.allocUnsafe(PREFIX + json.length);
  head.writeUInt32LE(json.length, 0);
  head.writeUInt32LE(body.length, 4);
  json.copy(head, PREFIX);
  stream.cork();
  stream.write(head);
  if (body.length > 0) stream.write(body);
  stream.uncork();
}

/** Calls `onFrame` with each complete frame of the stream. Each body is a separate buffer, which is written once. */
export function readFrames<Header>(stream: Duplex, onFrame: (header: Header, body: Buffer) => void): void {
  let target = Buffer.allocUnsafe(PREFIX);
  let filled = 0;
  let headerLength = -1;

  stream.on('data', (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      const taken = chunk.copy(target, filled, at);
      at += taken;
      filled += taken;
      if (filled === target.length) take();
    }
  });

  function take(): void {
    if (headerLength < 0) {
      headerLength = target.readUInt32LE(0);
      // sized to the frame, so that a body of megabytes is copied from the socket's chunks only once
      target = Buffer.allocUnsafeSlow(headerLength + target.readUInt32LE(4));
      filled = 0;
      return;
    }
    const frame = target;
    const length = headerLength;
    target = Buffer.allocUnsafe(PREFIX);
    filled = 0;
    headerLength = -1;
    onFrame(JSON.parse(frame.toString('utf8', 0, length)), frame.subarray(length));
  }
}
