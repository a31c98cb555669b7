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

/** The table of an insert, and the format of its rows. */
export interface InsertTarget {
  table: string;
  format: RowsFormat;
}

/** What the service requests from the engine process; the rows of an insert are the frame's body. */
export type Request =
  | ({ op: 'open' } & EngineOptions)
  | ({ op: 'insert'; settings: Settings } & InsertTarget)
  /** An insert whose rows the engine process reads from files. */
  | ({ op: 'insertRanges'; settings: Settings; ranges: readonly FileRange[] } & InsertTarget)
  | { op: 'write'; sql: string }
  /** `params`: values in ClickHouse's escaped text form; `tenant`: the project, null for the service itself. */
  | { op: 'read'; sql: string; params: Record<string, string>; settings: Settings; tenant: number | null }
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
