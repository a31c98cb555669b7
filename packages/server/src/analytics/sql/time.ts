import type { Span } from '../buckets.js';
import { instantSql } from '../kinds/kind.js';
import { type Fragment, sql, withLimits } from './fragment.js';

/** Conditions on the time of an event, with that time as their limits. */
export const notBefore = (instant: number): Fragment => withLimits(sql`e.timestamp >= ${instantSql(instant)}`, { from: instant });
export const before = (instant: number): Fragment => withLimits(sql`e.timestamp < ${instantSql(instant)}`, { to: instant });
export const within = ({ from, to }: Span): Fragment[] => [notBefore(from), before(to)];
