import type { InsightScope } from '../query.js';

/** Scales a count of sampled persons to all persons. */
export const scaledBy = ({ samplingFactor }: Pick<InsightScope, 'samplingFactor'>) =>
  samplingFactor < 1 ? (count: number): number => Math.round(count / samplingFactor) : (count: number): number => count;
