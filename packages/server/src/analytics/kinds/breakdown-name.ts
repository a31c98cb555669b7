import type { Breakdown } from '../breakdown.js';
import type { KindContext } from './kind.js';

/** What a part of an answer says beside `breakdown_value`, where that is the number of a cohort (or `all`). */
export interface BreakdownName {
  /** What people call the cohort. */
  breakdown_name?: string;
}

/** The name of a value of a breakdown by cohorts; nothing for other values, which say themselves what they are. */
export function breakdownName([key = '']: readonly string[], { by }: Breakdown, { cohorts }: KindContext): BreakdownName {
  if (by.type !== 'cohorts') return {};
  const name = key === 'all' ? 'All users' : cohorts.get(Number(key))?.name;
  return name ? { breakdown_name: name } : {};
}
