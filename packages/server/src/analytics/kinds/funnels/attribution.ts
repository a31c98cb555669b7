import type { FunnelsQuery } from './funnels-query.js';

/** The step (numbered from 0) whose event says the value of a run; null: no single step does. */
export const attributedStep = ({ breakdown, attribution }: FunnelsQuery): number | null =>
  breakdown?.by.type === 'properties' && attribution.type === 'step' ? attribution.step : null;
