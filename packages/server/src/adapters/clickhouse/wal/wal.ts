import type { Logger } from 'pino';
import { createBackgroundTurns } from '../../../kernel/background-turns.js';
import { EventsFull, EventsUnavailable } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import { type ApplyQueue, createApplyQueue } from './apply-queue.js';
import type { WalPosition, WalRecord } from './record.js';
import { openSegments, type Segments } from './segments.js';

/** Bytes of one write to the disk. */
const WRITE_BYTES = 8 * 1024 * 1024;
/** Tokens of appends that are remembered: an append with a remembered token is a repetition. */
const TOKENS = 10_000;

export interface WalOptions {
  directory: string;
  fsync: boolean;
  log: Logger;
  /** Inserts records into their tables; `isReplay`: an earlier try may have inserted some of them. */
  apply(records: readonly WalRecord[], isReplay: boolean): Promise<void>;
  /** Whether the tables respond, so that waiting for capacity makes sense. */
  tablesAnswer?(): boolean;
  scheduler: Scheduler;
}

/**
 * The write-ahead log of the embedded engine (decision 0004): an append returns after one large write that many callers share, and the
 * rows reach their tables in large inserts soon after.
 *
 *     append ──▶ segment file (fdatasync) ──▶ acknowledged ──▶ apply queue ──▶ tables ──▶ segment deleted
 *                                                  │
 *                                 a crash: the next start replays it
 */
export interface Wal {
  /**
   * Resolves when the rows are on the disk.
   * @param isBackground whether the rows leave capacity for others, whose writes go first
   * @throws EventsFull | EventsUnavailable nothing was stored
   */
  append(rows: WalRows, isBackground?: boolean): Promise<void>;
  /** Resolves when the tables have all rows that were appended before the call, or the disk is too full for them. */
  flushed(): Promise<void>;
  /** Ends the current file, and deletes it as soon as the tables have its records. */
  rotate(): Promise<void>;
  state: ApplyQueue['state'];
  hasCapacity: ApplyQueue['hasCapacity'];
  /** Applies the remaining records and deletes the log. */
  close(): Promise<void>;
}

type WalRows = Pick<WalRecord, 'table' | 'format' | 'rows' | 'token'>;

interface PendingAppend {
  record: WalRows;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Opens the log and starts to replay what an earlier process left in it. */
export async function openWal({ directory, fsync, log, apply, tablesAnswer = () => true, scheduler }: WalOptions): Promise<Wal> {
  const { segments, left, lastSeq } = await openSegments(directory, fsync, (damage) =>
    log.error(
      damage,
      'the event log holds bytes that cannot be read: half a write of a crash, or damage on the disk; they are kept in a file, and the events around them are stored',
    ),
  );
  let nextSeq = lastSeq + 1;
  const queue = createApplyQueue({
    log,
    apply,
    tablesAnswer,
    scheduler,
    first: left[0]?.seq ?? nextSeq,
    onApplied: (seq) => release(seq),
  });
  const tokens = new Set(left.map(({ token }) => token));
  const pending: PendingAppend[] = [];
  const background: PendingAppend[] = [];
  const isBackgroundNext = createBackgroundTurns();
  let writing: Promise<void> | null = null;
  let failed = false;

  queue.add(left, true);

  function release(seq: number): void {
    segments.release(seq).catch((error: unknown) => log.warn({ err: error }, 'a file of the event log could not be deleted'));
  }

  async function writePending(): Promise<void> {
    while (pending.length + background.length > 0) {
      const taken = takeUpTo(isBackgroundNext(pending.length, background.length) ? background : pending, WRITE_BYTES);
      const applied = queue.applied();
      const records = taken.map(({ record }, i) => ({ ...record, seq: nextSeq + i, applied }));
      const positions = await tryAppend(segments, records);
      if (positions instanceof Error) {
        for (const { reject } of taken) reject(positions);
        continue;
      }
      nextSeq += records.length;
      const written = records.map((record, i): WalRecord => {
        const position = positions[i];
        return position ? { ...record, position } : record;
      });
      queue.add(written, false);
      for (const { resolve } of taken) resolve();
    }
  }

  async function write(record: WalRows, isBackground: boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      (isBackground ? background : pending).push({ record, resolve, reject });
      writePendingAlone();
    });
  }

  /** Writes what is pending, after the write or rotation that runs. */
  function writePendingAlone(): void {
    writing ??= writePending().finally(() => {
      writing = null;
    });
  }

  async function rotate(): Promise<void> {
    while (writing) await writing;
    writing = segments.rotate().finally(() => {
      writing = null;
      if (pending.length + background.length > 0) writePendingAlone();
    });
    await writing;
    release(queue.applied());
  }

  return {
    append: async (record, isBackground = false) => {
      const { token } = record;
      if (tokens.has(token)) return;
      await queue.waitForCapacity(isBackground);
      remember(tokens, token);
      try {
        await write(record, isBackground);
      } catch (error) {
        tokens.delete(token);
        if (!failed) log.error({ err: error }, 'the event log cannot be written');
        failed = true;
        throw error;
      }
      failed = false;
    },
    flushed: () => queue.flushed(),
    rotate,
    state: () => queue.state(),
    hasCapacity: queue.hasCapacity,
    close: async () => {
      await writing;
      await segments.close(await queue.close());
    },
  };
}

async function tryAppend(segments: Segments, records: readonly WalRecord[]): Promise<WalPosition[] | Error> {
  try {
    return await segments.append(records);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    if (code === 'ENOSPC' || code === 'EDQUOT')
      return new EventsFull(`The disk of the event store is full (${code}).`, { cause: error });
    return new EventsUnavailable(`The event log cannot be written (${code}).`, { cause: error });
  }
}

/** Takes as many appends as fit the bytes, at least one. */
function takeUpTo(pending: PendingAppend[], bytes: number): PendingAppend[] {
  let size = 0;
  let count = 0;
  while (count < pending.length && (count === 0 || size + (pending[count]?.record.rows.length ?? 0) <= bytes)) {
    size += pending[count]?.record.rows.length ?? 0;
    count++;
  }
  return pending.splice(0, count);
}

function remember(tokens: Set<string>, token: string): void {
  tokens.add(token);
  const [oldest] = tokens;
  if (tokens.size > TOKENS && oldest !== undefined) tokens.delete(oldest);
}
