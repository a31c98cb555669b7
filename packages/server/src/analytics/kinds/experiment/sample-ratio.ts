import { isObject, type JsonObject } from '../../../kernel/json.js';
import type { Variant } from './experiment-data.js';
import { goodnessOfFit } from './stats/significance.js';

/** The p-value below which the split is a mismatch: low enough that daily tests raise no false alarm. */
const MISMATCH = 0.001;

/** The test of whether the split of persons matches the percentages. */
export interface SampleRatio {
  /** Expected number of exposed persons by variant. */
  expected: Record<string, number>;
  p_value: number;
  mismatch: boolean;
}

/**
 * Pearson's chi-squared test of the exposures against the percentages of the variants. Null when a condition of the flag names a
 * variant, so that percentages do not decide, or when there is too little data.
 */
export function sampleRatio(
  variants: readonly Variant[],
  exposed: ReadonlyMap<string, number>,
  filters: JsonObject,
): SampleRatio | null {
  const groups = Array.isArray(filters['groups']) ? filters['groups'] : [];
  if (groups.some((group) => isObject(group) && typeof group['variant'] === 'string')) return null;
  const drawn = variants.filter(({ rollout_percentage: share }) => share > 0);
  const counts = drawn.map(({ key }) => exposed.get(key) ?? 0);
  const result = goodnessOfFit(
    counts,
    drawn.map(({ rollout_percentage: share }) => share),
  );
  if (!result) return null;
  const [whole, total] = [sum(drawn.map(({ rollout_percentage: share }) => share)), sum(counts)];
  return {
    expected: Object.fromEntries(drawn.map(({ key, rollout_percentage: share }) => [key, (total * share) / whole])),
    p_value: result.pValue,
    mismatch: result.pValue < MISMATCH,
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
