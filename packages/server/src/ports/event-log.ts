/*
 * A durable log of captured events before the writer, for installations where capture has to go on while the stores of events and persons
 * do not keep up, or where other programs read the same events. Tidemark has no adapter for one: decision 0073 says when it is worth it.
 *
 *     capture ─▶ append ─▶ 200            the server that answers needs no other store
 *                  │
 *                  ▼ partition by key
 *     writer: read ─▶ stages ─ persons ─ insert ─▶ commit
 */

/** What is appended: the bytes of one captured event. */
export interface LogEntry {
  /** Entries of one key are read in the order in which they were appended. For events: the project and the distinct id. */
  key: string;
  /** The event's own id, by which the writer stores it once, however often it is appended or read. */
  uuid: string;
  body: Uint8Array;
}

/** An entry of the log, with its place. */
export interface LogRecord extends LogEntry {
  partition: number;
  /** Rises within a partition, with gaps at most where nothing was acknowledged. */
  offset: number;
  /** When it was appended, by the clock of the log; epoch milliseconds, UTC. */
  appendedAt: number;
}

/** Limits of one read. */
export interface LogRead {
  partition: number;
  /** The first offset that is wanted. Records before it are not returned. */
  from: number;
  /** Bytes of the bodies: a read returns at least one record if there is one, and then no more than fit. */
  maxBytes: number;
}

/** Where a partition begins and ends. */
export interface LogBounds {
  /** The oldest offset that is still there; equal to `next` in an empty partition. */
  first: number;
  /** The offset of the next record. */
  next: number;
}

/**
 * A durable log in partitions.
 *
 * **Order.** One key belongs to one partition for good, and its records have the order of their appends: of two appends where the second
 * began after the first had resolved, and of the entries within one call. There is no order between partitions.
 *
 * **At least once.** An append whose outcome is unknown is repeated, and a reader that fails before it commits reads again from its last
 * commit. So a record may be there twice and be read twice. The writer stores an event once by its uuid, as it does for events that
 * clients send again; the log removes no duplicates.
 *
 * **Retention.** Records are removed by age alone, whether or not a reader has committed them: a log that waits for its slowest reader
 * fills its disk. A reader that was away for longer learns it ({@link LogTruncated}) instead of missing records silently.
 */
export interface EventLog {
  /** The number of partitions. It is fixed for the life of a log, because the order of a key hangs on it. */
  readonly partitions: number;
  /**
   * Appends entries. Resolves with their places, in the order of the entries, when all of them survive a power loss; one that has resolved
   * is read by every later read.
   * @throws EventsUnavailable some of the entries may be in the log; append all of them again
   * @throws EventsFull as EventsUnavailable, for a log without space
   */
  append(entries: readonly LogEntry[]): Promise<Pick<LogRecord, 'partition' | 'offset'>[]>;
  /**
   * Reads records of one partition in the order of their offsets; none at its end. It does not wait for new ones.
   * @throws LogTruncated records from `from` on were removed before they were read
   */
  read(read: LogRead): Promise<LogRecord[]>;
  /**
   * Remembers, durably, that a reader is done with all records of a partition before `offset`. A commit behind an earlier one changes
   * nothing. One process at a time reads a partition for one reader: the caller sees to that.
   */
  commit(reader: string, partition: number, offset: number): Promise<void>;
  /** Where a reader continues: what it committed last, else the oldest record that is there. */
  committed(reader: string, partition: number): Promise<number>;
  /** Where a partition begins and ends: `next` less what is committed is how far a reader is behind. */
  bounds(partition: number): Promise<LogBounds>;
  /** Removes records that were appended before `before` (epoch milliseconds, UTC). Some of them may stay for a while. */
  removeBefore(before: number): Promise<void>;
  close(): Promise<void>;
}

/** A reader asks for records that retention has removed. It continues at `first`, and says that events are missing. */
export class LogTruncated extends Error {
  override name = 'LogTruncated';
  constructor(
    readonly partition: number,
    /** The oldest offset that is there. */
    readonly first: number,
  ) {
    super(`Partition ${partition} begins at ${first}.`);
  }
}
