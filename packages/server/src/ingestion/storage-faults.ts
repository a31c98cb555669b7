import type { Logger } from 'pino';
import { logOnce } from '../kernel/log-once.js';
import { EventsFull } from '../ports/events.js';

/** Why captures are refused: no room on a disk, or a store that is away. */
export type StorageFault = 'full' | 'unavailable';

/** How long a refusal tells of the present; those who were refused come again sooner. Milliseconds. */
const RECENT_MS = 60_000;

/** PostgreSQL's word for a disk without room. */
const DISK_FULL = '53100';

export function storageFaultOf(error: unknown): StorageFault {
  if (error instanceof EventsFull) return 'full';
  if (!(error instanceof Error)) return 'unavailable';
  return 'code' in error && error.code === DISK_FULL ? 'full' : storageFaultOf(error.cause);
}

/** Keeps what goes wrong with storing groups, and tells each fault in the log once instead of for every group. */
export function createStorageFaults(log: Logger, now: () => number) {
  const fault = logOnce(log, 'error', 'events are stored again');
  let last: { reason: StorageFault; at: number } | null = null;
  return {
    met(what: string, error: unknown): void {
      last = { reason: storageFaultOf(error), at: now() };
      fault.failed(what, error);
    },
    /** A group was stored. */
    over(): void {
      last = null;
      fault.worked();
    },
    /** Why captures are refused at present; null: they are not, or nobody has tried lately. */
    now: (): StorageFault | null => (last && Math.abs(now() - last.at) < RECENT_MS ? last.reason : null),
  };
}

export type StorageFaults = ReturnType<typeof createStorageFaults>;
