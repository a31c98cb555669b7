import type { FlagRow } from './store.js';

const DAY_MS = 86_400_000;
/** Days without evaluations or changes after which a flag is stale. */
const STALE_AFTER_DAYS = 30;

/** Flags whose last evaluation or change was before this time are stale. */
export const staleSince = (now: number): Date => new Date(now - STALE_AFTER_DAYS * DAY_MS);

/** The status of a flag, and the reason in words. */
export interface FlagStatus {
  status: 'ACTIVE' | 'INACTIVE' | 'STALE' | 'DELETED';
  reason: string;
}

type Judged = Pick<FlagRow, 'deleted' | 'active' | 'created_at' | 'updated_at' | 'last_called_at' | 'is_constant'>;

/** The status of a flag at `now` (epoch ms). `isStale` of list.ts has the same rules in SQL. */
export function statusOf(flag: Judged, now: number): FlagStatus {
  const since = staleSince(now);
  if (flag.deleted) return { status: 'DELETED', reason: 'The flag is deleted.' };
  if (!flag.active) return { status: 'INACTIVE', reason: 'The flag is switched off.' };
  if (flag.created_at >= since) return { status: 'ACTIVE', reason: `The flag is younger than ${STALE_AFTER_DAYS} days.` };
  if ((flag.last_called_at ?? flag.created_at) < since) {
    return { status: 'STALE', reason: `No client has asked for the flag for ${STALE_AFTER_DAYS} days.` };
  }
  if (flag.is_constant && flag.updated_at < since) {
    return { status: 'STALE', reason: `For ${STALE_AFTER_DAYS} days everybody has got the same value.` };
  }
  return { status: 'ACTIVE', reason: flag.is_constant ? 'The flag changed lately.' : 'Not everybody gets the same value.' };
}
