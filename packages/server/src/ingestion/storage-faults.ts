import type { Logger } from 'pino';
import { logOnce } from '../kernel/log-once.js';
import { sqlState } from '../kernel/sql.js';
import { EventsFull } from '../ports/events.js';

/** Why captures are refused: a disk is full, or a store is unavailable. */
export type StorageFault = 'full' | 'unavailable';

/** Age up to which a fault counts as current; refused clients retry sooner. Milliseconds. */
const RECENT_MS = 60_000;

/** PostgreSQL's SQLSTATE disk_full. */
const DISK_FULL = '53100';

export function storageFaultOf(error: unknown): StorageFault {
  if (error instanceof EventsFull) return 'full';
  if (!(error instanceof Error)) return 'unavailable';
  return sqlState(error) === DISK_FULL ? 'full' : storageFaultOf(error.cause);
}

/** Tracks faults of the stores, and logs each once instead of once per group. */
export function createStorageFaults(log: Logger, now: () => number) {
  const fault = logOnce(log, 'error', 'events are stored again');
  let last: { reason: StorageFault; at: number } | null = null;
  return {
    met(what: string, error: unknown): void {
      last = { reason: storageFaultOf(error), at: now() };
      fault.failed(what, error);
    },
    /** A group was stored: the fault is over. */
    over(): void {
      last = null;
      fault.worked();
    },
    /** The current fault; null: none, or no attempt lately. */
    now: (): StorageFault | null => (last && Math.abs(now() - last.at) < RECENT_MS ? last.reason : null),
  };
}

export type StorageFaults = ReturnType<typeof createStorageFaults>;
