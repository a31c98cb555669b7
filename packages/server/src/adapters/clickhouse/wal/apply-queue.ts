import type { Logger } from 'pino';
import { EventsFull, EventsUnavailable } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import type { WalRecord } from './record.js';

/** Bytes of a block, which is one insert: larger ones cost the engine as much per row. */
const BLOCK_BYTES = 6 * 1024 * 1024;
/** Longest wait of a record before its block starts; milliseconds. */
const MAX_DELAY_MS = 400;
/** Blocks at the same time: one waits for the disk while the other computes. */
const MAX_BLOCKS = 2;
/** Bytes in the queue: about a second's work of the engine, for which a query may have to wait. */
const MAX_BYTES = 24 * 1024 * 1024;
/** The same for rows of the background, such as those of imports: the other half is for all others. */
const MAX_BACKGROUND_BYTES = MAX_BYTES / 2;
/** Longest wait of a caller for capacity; milliseconds. */
const CAPACITY_TIMEOUT_MS = 10_000;
/** Pause before a block that failed is applied again; milliseconds. */
const RETRY_PAUSE_MS = 250;
/** Longest wait of a query for the records before it; then it reads what the tables have. Milliseconds. */
const FLUSH_TIMEOUT_MS = 10_000;
/** How often a waiting caller checks its condition; milliseconds. */
const CHECK_MS = 500;

/** Records that one insert applies. */
interface Block {
  records: readonly WalRecord[];
  bytes: number;
  isReplay: boolean;
}

interface Entry {
  record: WalRecord;
  /** Uptime when the record was added; milliseconds. */
  since: number;
  isReplay: boolean;
}

export interface ApplyQueue {
  /** Adds records that are on the disk, in the order of their numbers. `isReplay`: an earlier process may have applied some of them. */
  add(records: readonly WalRecord[], isReplay: boolean): void;
  /** Resolves when more may be added. @throws EventsFull | EventsUnavailable after 10 s, or when it would be in vain */
  waitForCapacity(isBackground?: boolean): Promise<void>;
  /** Whether more may be added now. */
  hasCapacity(): boolean;
  /** See {@link Wal.flushed}. */
  flushed(): Promise<void>;
  /** The sequence number up to which all records are in their tables. */
  applied(): number;
  /** `bytes`: rows that are not in their tables; `seconds`: how long the oldest of them has been waiting. */
  state(): { bytes: number; seconds: number };
  /** Applies the remaining records. Resolves with false when that took too long. */
  close(): Promise<boolean>;
}

interface ApplyQueueOptions {
  log: Logger;
  apply(records: readonly WalRecord[], isReplay: boolean): Promise<void>;
  /** Sequence number of the record that will be added first. */
  first: number;
  onApplied(seq: number): void;
  /** Whether the tables respond, so that waiting for capacity makes sense. */
  tablesAnswer?(): boolean;
  scheduler: Scheduler;
}

/**
 * The queue between the write-ahead log and the tables. Blocks are large under load and start at once when a query waits.
 *
 *                          6 MB, or 400 ms, or a query waits
 *     add ──▶ queued ─────────────────────────────────────────▶ applying ──▶ applied
 *               ▲                                                  │ the engine failed
 *               └── after 250 ms, marked as replay, one block at a time ──┘
 *
 * A replay hands on only the events that the table does not have: nobody knows what a failed insert has stored.
 */
export function createApplyQueue({
  log,
  apply,
  first,
  onApplied,
  tablesAnswer = () => true,
  scheduler,
}: ApplyQueueOptions): ApplyQueue {
  const entries: Entry[] = [];
  const running = new Set<Block>();
  let bytes = 0;
  let last = first - 1;
  let readers = 0;
  let closing = false;
  /** Why the last block failed; null after a success. */
  let failure: unknown = null;
  let cancelTimer: (() => void) | null = null;
  let changed = signal();

  const applied = () => {
    const oldest = Math.min(...[...running].map(({ records }) => records[0]?.seq ?? 0), entries[0]?.record.seq ?? last + 1);
    return oldest - 1;
  };
  const queuedBytes = () => bytes - [...running].reduce((sum, block) => sum + block.bytes, 0);

  function isDue(): boolean {
    const [oldest] = entries;
    if (!oldest || running.size >= MAX_BLOCKS) return false;
    // replays share a staging table
    if (failure !== null || oldest.isReplay) return running.size === 0;
    if (queuedBytes() >= BLOCK_BYTES || closing) return true;
    if (running.size > 0) return false;
    return readers > 0 || scheduler.uptime() - oldest.since >= MAX_DELAY_MS;
  }

  function startDueBlocks(): void {
    while (isDue()) void applyBlock(takeBlock());
    if (entries.length > 0 && running.size === 0 && !cancelTimer) {
      cancelTimer = scheduler.after(MAX_DELAY_MS, () => {
        cancelTimer = null;
        startDueBlocks();
      });
    }
  }

  function takeBlock(): Block {
    const isReplay = entries[0]?.isReplay ?? false;
    let size = 0;
    let count = 0;
    for (const { record, isReplay: other } of entries) {
      if (other !== isReplay || (count > 0 && size + record.rows.length > BLOCK_BYTES)) break;
      size += record.rows.length;
      count++;
    }
    const block = { records: entries.splice(0, count).map(({ record }) => record), bytes: size, isReplay };
    running.add(block);
    return block;
  }

  async function applyBlock(block: Block): Promise<void> {
    try {
      await apply(block.records, block.isReplay);
      bytes -= block.bytes;
      failure = null;
      running.delete(block);
      onApplied(applied());
    } catch (error) {
      if (failure === null) log.error({ err: error }, 'events of the log cannot be stored in their tables; trying again');
      failure = error;
      notifyWaiters();
      await new Promise<void>((resolve) => scheduler.after(RETRY_PAUSE_MS, resolve));
      running.delete(block);
      const since = scheduler.uptime() - MAX_DELAY_MS;
      entries.unshift(...block.records.map((record) => ({ record, since, isReplay: true })));
      // `applied` relies on the order, also when a later block failed first
      entries.sort((a, b) => a.record.seq - b.record.seq);
    }
    notifyWaiters();
    startDueBlocks();
  }

  function notifyWaiters(): void {
    changed.resolve();
    changed = signal();
  }

  /** Waits until the condition holds. Resolves with false after the timeout. */
  async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<boolean> {
    const deadline = scheduler.uptime() + timeoutMs;
    while (!condition()) {
      const rest = deadline - scheduler.uptime();
      if (rest <= 0) return false;
      let cancel = () => {};
      const pause = new Promise<void>((resolve) => {
        cancel = scheduler.after(Math.min(rest, CHECK_MS), resolve);
      });
      await Promise.race([changed.promise, pause]);
      cancel();
    }
    return true;
  }

  const hasCapacity = (isBackground = false) => bytes < (isBackground ? MAX_BACKGROUND_BYTES : MAX_BYTES);

  return {
    hasCapacity: () => hasCapacity(),
    add: (records, isReplay) => {
      const since = scheduler.uptime();
      for (const record of records) {
        entries.push({ record, since, isReplay });
        bytes += record.rows.length;
        last = record.seq;
      }
      startDueBlocks();
    },
    waitForCapacity: async (isBackground) => {
      if (hasCapacity(isBackground)) return;
      const isDiskFull = () => failure instanceof EventsFull;
      await waitUntil(() => hasCapacity(isBackground) || isDiskFull() || !tablesAnswer(), CAPACITY_TIMEOUT_MS);
      if (isDiskFull() || !hasCapacity(isBackground)) {
        throw isDiskFull() ? failure : new EventsUnavailable('The event engine is behind with what it is to store.');
      }
    },
    flushed: async () => {
      const target = last;
      if (applied() >= target) return;
      readers++;
      startDueBlocks();
      await waitUntil(() => applied() >= target || failure instanceof EventsFull, FLUSH_TIMEOUT_MS);
      readers--;
    },
    applied,
    state: () => ({ bytes, seconds: entries[0] ? (scheduler.uptime() - entries[0].since) / 1000 : 0 }),
    close: async () => {
      closing = true;
      startDueBlocks();
      const isEmpty = await waitUntil(() => applied() >= last, CAPACITY_TIMEOUT_MS);
      cancelTimer?.();
      return isEmpty;
    },
  };
}

function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
