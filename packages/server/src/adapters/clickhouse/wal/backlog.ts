import type { Logger } from 'pino';
import { EventsFull, EventsUnavailable } from '../../../ports/events.js';
import type { Scheduler } from '../../../ports/system.js';
import type { LogRecord } from './record.js';

/** Bytes that one insert brings into the tables: larger ones cost the engine no less a row. */
const BLOCK_BYTES = 6 * 1024 * 1024;
/** Milliseconds after which what there is goes into the tables. */
const LATEST_MS = 100;
/** Inserts at the same time: one waits for the disk while the other computes. */
const BLOCKS = 2;
/** Bytes that may wait: about a second's work of the engine, which is what a query may have to wait for. */
const MOST_BYTES = 24 * 1024 * 1024;
/** Milliseconds that a caller waits for room. */
const PATIENCE_MS = 10_000;
/** Milliseconds between two tries to bring the same records into the tables. */
const AGAIN_MS = 250;
/** Milliseconds after which a query does with what the tables hold. */
const STALE_MS = 10_000;
/** How often a caller that waits looks again; milliseconds. */
const LOOK_MS = 500;

interface Block {
  records: readonly LogRecord[];
  bytes: number;
  again: boolean;
}

interface Entry {
  record: LogRecord;
  /** Uptime at the write; milliseconds. */
  since: number;
  again: boolean;
}

export interface Backlog {
  /** Takes records that are on the disk, in order. */
  add(records: readonly LogRecord[], again: boolean): void;
  /** Waits until more may be added. @throws EventsFull | EventsUnavailable when that takes too long */
  room(): Promise<void>;
  /** Whether more may be added at once. */
  hasRoom(): boolean;
  /** See EventsLog. */
  settled(): Promise<void>;
  /** The sequence number up to which all is in the tables. */
  applied(): number;
  /** `bytes`: not in the tables yet; `seconds`: how long the oldest of them has been waiting. */
  state(): { bytes: number; seconds: number };
  /** Applies the rest; whether that worked. */
  close(): Promise<boolean>;
}

interface BacklogOptions {
  log: Logger;
  apply(records: readonly LogRecord[], again: boolean): Promise<void>;
  /** Sequence number of the record that will be added first. */
  first: number;
  onApplied(seq: number): void;
  /** Whether the tables answer, so that waiting for room is worth it. */
  isAppliedSoon?(): boolean;
  scheduler: Scheduler;
}

/** Records between the log and their tables: large blocks when there is much, soon when somebody reads. */
export function createBacklog({ log, apply, first, onApplied, isAppliedSoon = () => true, scheduler }: BacklogOptions): Backlog {
  const entries: Entry[] = [];
  const running = new Set<Block>();
  let bytes = 0;
  let last = first - 1;
  let readers = 0;
  let closing = false;
  /** Why the tables last refused. */
  let failure: unknown = null;
  let cancelTimer: (() => void) | null = null;
  let changed = signal();

  const applied = () => {
    const oldest = Math.min(...[...running].map(({ records }) => records[0]?.seq ?? 0), entries[0]?.record.seq ?? last + 1);
    return oldest - 1;
  };
  const waitingBytes = () => bytes - [...running].reduce((sum, block) => sum + block.bytes, 0);

  function due(): boolean {
    const [oldest] = entries;
    if (!oldest || running.size >= BLOCKS) return false;
    // after a failure one at a time, and the oldest first
    if (failure !== null || oldest.again) return running.size === 0;
    if (waitingBytes() >= BLOCK_BYTES || closing) return true;
    if (running.size > 0) return false;
    return readers > 0 || scheduler.uptime() - oldest.since >= LATEST_MS;
  }

  function kick(): void {
    while (due()) void bring(take());
    if (entries.length > 0 && running.size === 0 && !cancelTimer) {
      cancelTimer = scheduler.after(LATEST_MS, () => {
        cancelTimer = null;
        kick();
      });
    }
  }

  function take(): Block {
    const again = entries[0]?.again ?? false;
    let size = 0;
    let count = 0;
    for (const { record, again: other } of entries) {
      if (other !== again || (count > 0 && size + record.rows.length > BLOCK_BYTES)) break;
      size += record.rows.length;
      count++;
    }
    const block = { records: entries.splice(0, count).map(({ record }) => record), bytes: size, again };
    running.add(block);
    return block;
  }

  async function bring(block: Block): Promise<void> {
    try {
      await apply(block.records, block.again);
      bytes -= block.bytes;
      failure = null;
      running.delete(block);
      onApplied(applied());
    } catch (error) {
      if (failure === null) log.error({ err: error }, 'events of the log cannot be stored in their tables; trying again');
      failure = error;
      tellChange();
      await new Promise<void>((resolve) => scheduler.after(AGAIN_MS, resolve));
      running.delete(block);
      const since = scheduler.uptime() - LATEST_MS;
      entries.unshift(...block.records.map((record) => ({ record, since, again: true })));
      entries.sort((a, b) => a.record.seq - b.record.seq);
    }
    tellChange();
    kick();
  }

  function tellChange(): void {
    changed.resolve();
    changed = signal();
  }

  /** Waits until `done`, at most so long; whether it came. */
  async function until(done: () => boolean, milliseconds: number): Promise<boolean> {
    const deadline = scheduler.uptime() + milliseconds;
    while (!done()) {
      const rest = deadline - scheduler.uptime();
      if (rest <= 0) return false;
      let cancel = () => {};
      const pause = new Promise<void>((resolve) => {
        cancel = scheduler.after(Math.min(rest, LOOK_MS), resolve);
      });
      await Promise.race([changed.promise, pause]);
      cancel();
    }
    return true;
  }

  const hasRoom = () => bytes < MOST_BYTES;

  return {
    hasRoom,
    add: (records, again) => {
      const since = scheduler.uptime();
      for (const record of records) {
        entries.push({ record, since, again });
        bytes += record.rows.length;
        last = record.seq;
      }
      kick();
    },
    room: async () => {
      if (hasRoom()) return;
      const isFull = () => failure instanceof EventsFull;
      await until(() => hasRoom() || isFull() || !isAppliedSoon(), PATIENCE_MS);
      if (isFull() || !hasRoom()) {
        throw isFull() ? failure : new EventsUnavailable('The event engine is behind with what it is to store.');
      }
    },
    settled: async () => {
      const target = last;
      if (applied() >= target) return;
      readers++;
      kick();
      await until(() => applied() >= target || failure instanceof EventsFull, STALE_MS);
      readers--;
    },
    applied,
    state: () => ({ bytes, seconds: entries[0] ? (scheduler.uptime() - entries[0].since) / 1000 : 0 }),
    close: async () => {
      closing = true;
      kick();
      const done = await until(() => applied() >= last, PATIENCE_MS);
      cancelTimer?.();
      return done;
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
