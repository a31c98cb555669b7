import { ApiError } from '../../kernel/errors.js';
import type { InsightScope } from '../query.js';

/** Maximum number of values in a result. */
const MAX_NUMBERS = 1_000_000;

/** Rejects results with too many values. `coarser`: advice for the message. @throws ApiError invalid_input for `field` */
export function requireNumbers(count: number, field: string, coarser = 'a longer interval'): void {
  if (count <= MAX_NUMBERS) return;
  const advice = `Ask for ${coarser}, a shorter range or fewer values.`;
  throw new ApiError('invalid_input', `This answer may have more than ${MAX_NUMBERS} numbers. ${advice}`, field);
}

/** The field that limits the number of lines. */
export const LIMIT_FIELD = 'query__breakdownFilter__breakdown_limit';

/** Scales a count of sampled persons to all persons. */
export const scaledBy = ({ samplingFactor }: Pick<InsightScope, 'samplingFactor'>) =>
  samplingFactor < 1 ? (count: number): number => Math.round(count / samplingFactor) : (count: number): number => count;
