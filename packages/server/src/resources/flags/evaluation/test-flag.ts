import { evaluateFlags } from '@tidemark/flags';
import { z } from 'zod';
import { ApiError } from '../../../kernel/errors.js';
import type { Asked } from './ask.js';

/** What came of a flag that was tried out. */
export const testedSchema = z.object({
  key: z.string().describe('Key of the flag.'),
  value: z.union([z.boolean(), z.string()]).describe('False, true, or the key of a variant.'),
  variant: z.string().nullable().describe('Key of the variant, if it came to one.'),
  payload: z.unknown().describe('What comes with the value, as stored; null: nothing.'),
  reason: z.string().describe('Why, as `/flags` says it: `condition_match`, `out_of_rollout_bound`, …'),
  condition_index: z.int().nullable().describe('Position of the condition that the reason is about; null: it is about none.'),
});

/** Evaluates one flag as SDKs get it. @throws ApiError not_found */
export function testFlag({ definitions, subject, environment }: Asked, key: string) {
  const result = evaluateFlags(definitions.prepared, subject, environment, new Set([key])).get(key);
  if (!result) throw new ApiError('not_found');
  return {
    key,
    value: result.value,
    variant: result.variant,
    payload: result.payload ?? null,
    reason: result.reason,
    condition_index: result.conditionIndex,
  };
}
