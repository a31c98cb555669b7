import type { Readable } from 'node:stream';
import type { EventTables } from './events.js';

/** The tables that are copied, in the order of copying. */
export const COPIED_TABLES = ['events', 'persons', 'person_overrides', 'groups'] as const satisfies (keyof EventTables)[];

/** Rows that are copied together: the events of one UTC day, or all rows of another table. */
export interface CopyUnit {
  table: keyof EventTables;
  /** The day of events, such as `2026-10-15`; `all` for another table. */
  part: string;
}

/** A unit with what it holds. */
export interface MeasuredUnit extends CopyUnit {
  rows: number;
  /** Depends on which rows there are, not on their order. Equal rows have the same one in any engine. */
  checksum: string;
}

/** Where units are read: the tables, or a snapshot of them. */
export interface EventCopySource {
  /** All units that have rows. The checksum covers what identifies a row. */
  units(): Promise<MeasuredUnit[]>;
  /** Measures one unit; the checksum covers everything. */
  measure(unit: CopyUnit): Promise<MeasuredUnit>;
  /** The columns of a table, in the order in which `read` writes them. */
  columns(table: keyof EventTables): readonly string[];
  /** The rows of a unit in ClickHouse's format Native, compressed by Zstandard. The caller reads the stream to its end or destroys it. */
  read(unit: CopyUnit): Promise<Readable>;
}

/** A unit with its rows. */
export interface TakenUnit {
  unit: MeasuredUnit;
  /** As `read` gives it. */
  content: Readable;
}

/** Tables at one moment. */
export interface EventSnapshot extends Pick<EventCopySource, 'units' | 'columns'> {
  /**
   * The rows of a unit, and what they measure: on a cluster, whose tables go on while it is read, that may differ from what `units` has returned.
   * One is taken at a time.
   */
  take(unit: MeasuredUnit): Promise<TakenUnit>;
  /** Deletes the snapshot. */
  close(): Promise<void>;
}

/** Copies whole rows out of an event store and into it, for backups and moves. Its statements may run as long as they need. */
export interface EventCopies extends EventCopySource {
  /**
   * Takes a snapshot, which costs no space as long as the tables keep their rows; on a cluster, that of the unit that is taken. It has all rows whose insert was acknowledged before.
   * There is one at a time: an earlier one is deleted.
   * @param between runs after the snapshot of events and before that of the other tables; where all inserts go through this process, none
   *   runs meanwhile
   */
  snapshot(between: () => Promise<void>): Promise<EventSnapshot>;
  /** Waits until no deletion and no other change of stored rows runs in the background, which would change what is read without a snapshot. */
  settled(): Promise<void>;
  /** Inserts what `read` of any store has written. @param columns those of the content */
  load(unit: CopyUnit, columns: readonly string[], content: Readable): Promise<void>;
  /** Deletes the rows of a unit. Resolves when they are gone. */
  clear(unit: CopyUnit): Promise<void>;
  /** Names of the applied migrations. */
  schema(): Promise<string[]>;
}
