import type { Breakdown } from '../breakdown.js';
import type { Filter } from '../filter.js';
import type { KindContext } from './kind.js';

/** The cohorts of a breakdown as a filter, so that they are loaded with those of the filters. */
export function breakdownFilters(breakdown: Breakdown | null): Record<string, Filter> {
  if (breakdown?.by.type !== 'cohorts') return {};
  const values = breakdown.by.cohorts.flatMap((cohort) => (cohort === 'all' ? [] : [{ cohort }]));
  return { breakdownFilter__breakdown: { type: 'OR', values } };
}

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
