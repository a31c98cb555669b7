import type { InsightScope } from '../query.js';

/** What a number of persons in a sample stands for. */
export const scaledBy = ({ samplingFactor }: Pick<InsightScope, 'samplingFactor'>) =>
  samplingFactor < 1 ? (count: number): number => Math.round(count / samplingFactor) : (count: number): number => count;
