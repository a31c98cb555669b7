import type { Breakdown } from '../breakdown.js';
import type { Filter } from '../filter.js';

/** The cohorts that a breakdown names, as a filter: they have to be looked up before a query runs. */
export function breakdownFilters(breakdown: Breakdown | null): Record<string, Filter> {
  if (breakdown?.by.type !== 'cohorts') return {};
  const values = breakdown.by.cohorts.flatMap((cohort) => (cohort === 'all' ? [] : [{ cohort }]));
  return { breakdownFilter__breakdown: { type: 'OR', values } };
}
