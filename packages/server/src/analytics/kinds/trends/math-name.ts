import type { SeriesMath } from '../../math.js';

/** The wire name of a math. */
export function mathName(math: SeriesMath): string {
  if (math.kind === 'session_duration') return math.statistic;
  return math.kind === 'count_per_actor' ? `${math.statistic}_count_per_actor` : math.kind;
}
