import { ApiError } from '../../kernel/errors.js';

/** Numbers in an answer: more than this is a mistake. */
const MAX_NUMBERS = 1_000_000;

/** Holds an answer to what can be sent. `coarser`: what to ask for instead. @throws ApiError invalid_input, naming the field */
export function requireNumbers(count: number, field: string, coarser = 'a longer interval'): void {
  if (count <= MAX_NUMBERS) return;
  const advice = `Ask for ${coarser}, a shorter range or fewer values.`;
  throw new ApiError('invalid_input', `This answer may have more than ${MAX_NUMBERS} numbers. ${advice}`, field);
}

/** The field by which the number of lines is asked for. */
export const LIMIT_FIELD = 'query__breakdownFilter__breakdown_limit';
