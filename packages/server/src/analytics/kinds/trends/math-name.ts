import type { SeriesMath } from '../../math.js';

/** What a math is called in queries. */
export function mathName(math: SeriesMath): string {
  if (math.kind === 'session_duration') return math.statistic;
  return math.kind === 'count_per_actor' ? `${math.statistic}_count_per_actor` : math.kind;
}
