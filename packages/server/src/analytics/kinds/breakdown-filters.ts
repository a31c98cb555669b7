import type { Breakdown } from '../breakdown.js';
import type { Filter } from '../filter.js';

/** The cohorts of a breakdown as a filter, so that they are loaded with those of the filters. */
export function breakdownFilters(breakdown: Breakdown | null): Record<string, Filter> {
  if (breakdown?.by.type !== 'cohorts') return {};
  const values = breakdown.by.cohorts.flatMap((cohort) => (cohort === 'all' ? [] : [{ cohort }]));
  return { breakdownFilter__breakdown: { type: 'OR', values } };
}
