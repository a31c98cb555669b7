import type { Breakdown } from '../breakdown.js';
import type { KindContext } from './kind.js';

/** Field beside `breakdown_value` if that is the number of a cohort (or `all`). */
export interface BreakdownName {
  /** Name of the cohort. */
  breakdown_name?: string;
}

/** The name of a cohort value; empty for breakdowns by properties. */
export function breakdownName([key = '']: readonly string[], { by }: Breakdown, { cohorts }: KindContext): BreakdownName {
  if (by.type !== 'cohorts') return {};
  const name = key === 'all' ? 'All users' : cohorts.get(Number(key))?.name;
  return name ? { breakdown_name: name } : {};
}
