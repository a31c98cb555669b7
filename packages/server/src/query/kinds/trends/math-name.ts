import type { SeriesMath } from '../../math.js';

/** What a math is called in queries. */
export const mathName = (math: SeriesMath): string =>
  math.kind === 'count_per_actor' ? `${math.statistic}_count_per_actor` : math.kind;
