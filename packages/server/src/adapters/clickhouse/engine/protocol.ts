import type { RowsFormat } from '../../../ports/events.js';

/** Settings of ClickHouse by name. */
export type Settings = Record<string, string | number>;

/** A part of a file. */
export interface Piece {
  /** Absolute. */
  path: string;
  /** Bytes before it. */
  offset: number;
  /** Bytes of it. */
  length: number;
}

/** How the child opens the engine. */
export interface EngineOptions {
  /** Absolute path of the engine's directory. */
  path: string;
  /** Bytes that the engine may use. */
  memory: number;
  database: string;
  /** Milliseconds to wait for another process to leave the directory. */
  patience: number;
}

/** Where rows go, and how they stand. */
export interface InsertInto {
  table: string;
  format: RowsFormat;
}

/** What the service asks of the engine process; the rows of an insert are the frame's body. */
export type Request =
  | ({ op: 'open' } & EngineOptions)
  | ({ op: 'insert'; settings: Settings } & InsertInto)
  /** The same of rows that stand in files. */
  | ({ op: 'insertFrom'; settings: Settings; pieces: readonly Piece[] } & InsertInto)
  | { op: 'write'; sql: string }
  /** `params`: values in ClickHouse's escaped text form; `askedBy`: the project, null when the service asks for itself. */
  | { op: 'read'; sql: string; params: Record<string, string>; settings: Settings; askedBy: number | null }
  /** Ends the read with that number, whether it runs or waits. */
  | { op: 'kill'; read: number }
  /** Asks for a sign of life, which needs no session. */
  | { op: 'ping' }
  | { op: 'close' };

export type NumberedRequest = Request & { id: number };

/** The answer to request `id`; a result is the frame's body. */
export interface Reply {
  id: number;
  /** As the engine words it; it may quote the data. */
  error?: string;
}
