import type { Logger } from 'pino';
import { EventsFull, EventsUnavailable } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import { type Backlog, createBacklog } from './backlog.js';
import type { LogPlace, LogRecord } from './record.js';
import { openSegments, type Segments } from './segments.js';

/** Bytes that one write to the disk takes along. */
const WRITE_BYTES = 8 * 1024 * 1024;
/** Appends whose tokens are remembered: the same one again is taken for a repetition. */
const TOKENS = 10_000;

export interface EventsLogOptions {
  directory: string;
  fsync: boolean;
  log: Logger;
  /** Brings records into their table; `again`: an earlier try may have brought some of them there. */
  apply(records: readonly LogRecord[], again: boolean): Promise<void>;
  /** Whether the tables answer, so that waiting for room is worth it. */
  isAppliedSoon?(): boolean;
  scheduler: Scheduler;
}

/** Rows are safe once they are in the log, in large writes by many callers, and reach their tables in large inserts soon after. */
export interface EventsLog {
  /**
   * Resolves when the rows are on the disk.
   * @throws EventsFull | EventsUnavailable nothing was stored
   */
  append(rows: LogRows): Promise<void>;
  /** Resolves when the tables hold what was in the log when it was asked, or cannot take it for want of room. */
  settled(): Promise<void>;
  /** Waits as `settled` does; a number that grows with whatever reaches the tables. */
  version(): Promise<number>;
  state: Backlog['state'];
  hasRoom: Backlog['hasRoom'];
  /** Brings the rest into the tables and deletes the log. */
  close(): Promise<void>;
}

type LogRows = Pick<LogRecord, 'table' | 'format' | 'rows' | 'token'>;

interface Waiting {
  record: LogRows;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Opens the log; what a former process left in it is on its way into the tables. */
export async function openEventsLog({
  directory,
  fsync,
  log,
  apply,
  isAppliedSoon = () => true,
  scheduler,
}: EventsLogOptions): Promise<EventsLog> {
  const { segments, left, lastSeq } = await openSegments(directory, fsync, (damage) =>
    log.error(
      damage,
      'the event log holds bytes that cannot be read: half a write of a crash, or damage on the disk; they are kept in a file, and the events around them are stored',
    ),
  );
  let nextSeq = lastSeq + 1;
  const backlog = createBacklog({
    log,
    apply,
    isAppliedSoon,
    scheduler,
    first: left[0]?.seq ?? nextSeq,
    onApplied: (seq) => release(seq),
  });
  const tokens = new Set(left.map(({ token }) => token));
  const waiting: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let failed = false;

  backlog.add(left, true);

  function release(seq: number): void {
    segments.release(seq).catch((error: unknown) => log.warn({ err: error }, 'a file of the event log could not be deleted'));
  }

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const taken = takeUpTo(waiting, WRITE_BYTES);
      const applied = backlog.applied();
      const records = taken.map(({ record }, i) => ({ ...record, seq: nextSeq + i, applied }));
      const places = await tryAppend(segments, records);
      if (places instanceof Error) {
        for (const { reject } of taken) reject(places);
        continue;
      }
      nextSeq += records.length;
      const placed = records.map((record, i): LogRecord => {
        const place = places[i];
        return place ? { ...record, place } : record;
      });
      backlog.add(placed, false);
      for (const { resolve } of taken) resolve();
    }
  }

  async function put(record: LogRows): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      waiting.push({ record, resolve, reject });
      writing ??= write().finally(() => {
        writing = null;
      });
    });
  }

  return {
    append: async (record) => {
      const { token } = record;
      if (tokens.has(token)) return;
      await backlog.room();
      remember(tokens, token);
      try {
        await put(record);
      } catch (error) {
        tokens.delete(token);
        if (!failed) log.error({ err: error }, 'the event log cannot be written');
        failed = true;
        throw error;
      }
      failed = false;
    },
    settled: () => backlog.settled(),
    version: async () => {
      await backlog.settled();
      return backlog.applied();
    },
    state: () => backlog.state(),
    hasRoom: backlog.hasRoom,
    close: async () => {
      await writing;
      await segments.close(await backlog.close());
    },
  };
}

async function tryAppend(segments: Segments, records: readonly LogRecord[]): Promise<LogPlace[] | Error> {
  try {
    return await segments.append(records);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    if (code === 'ENOSPC' || code === 'EDQUOT')
      return new EventsFull(`The disk of the event store is full (${code}).`, { cause: error });
    return new EventsUnavailable(`The event log cannot be written (${code}).`, { cause: error });
  }
}

function takeUpTo(waiting: Waiting[], bytes: number): Waiting[] {
  let size = 0;
  let count = 0;
  while (count < waiting.length && (count === 0 || size + (waiting[count]?.record.rows.length ?? 0) <= bytes)) {
    size += waiting[count]?.record.rows.length ?? 0;
    count++;
  }
  return waiting.splice(0, count);
}

function remember(tokens: Set<string>, token: string): void {
  tokens.add(token);
  const [oldest] = tokens;
  if (tokens.size > TOKENS && oldest !== undefined) tokens.delete(oldest);
}
