import { evaluateSteps } from '@tidemark/flags/explain';
import { z } from 'zod';
import { ApiError } from '../../../kernel/errors.js';
import type { EvaluationRequest } from './ask.js';

const propertySchema = z.object({
  property: z.unknown().describe('The property of the condition, as stored.'),
  matches: z.boolean().nullable().describe('Whether it holds; null: nobody knows.'),
  message: z.string().describe('The same in words.'),
});

const stepSchema = z
  .object({
    stage: z.enum(['active', 'dependencies', 'early_access', 'holdout', 'condition']).describe('The step of the evaluation.'),
    condition_index: z.int().nullable().describe('Index of the condition, for steps that evaluate one.'),
    outcome: z
      .enum(['decided', 'passed_over', 'unknown'])
      .describe(
        '`decided`: the value comes from here; `passed_over`: the evaluation continues with the next step; `unknown`: a value is not known.',
      ),
    message: z.string().describe('What came of it, in words.'),
    properties: z.array(propertySchema).describe('Its properties, one by one.'),
    rollout: z
      .object({
        identifier: z.string().describe('By what the percentage is drawn.'),
        share: z.number().describe('Where that stands, 0 to 1.'),
        percentage: z.number().describe('Up to where the condition takes, 0 to 100.'),
      })
      .nullable()
      .describe('The draw, where it came to one.'),
  })
  .meta({ description: 'One question on the way to the value, and its answer.' });

/** What came of a flag that was tried out. */
export const testedSchema = z.object({
  key: z.string().describe('Key of the flag.'),
  value: z.union([z.boolean(), z.string()]).describe('False, true, or the key of a variant.'),
  variant: z.string().nullable().describe('Key of the variant, if it came to one.'),
  payload: z.unknown().describe('What comes with the value, as stored; null: nothing.'),
  reason: z.string().describe('Why, as `/flags` says it: `condition_match`, `out_of_rollout_bound`, …'),
  condition_index: z.int().nullable().describe('Position of the condition that the reason is about; null: it is about none.'),
  steps: z.array(stepSchema).describe('How it came to that, step by step.'),
});

/** Evaluates one flag as SDKs get it. @throws ApiError not_found */
export function testFlag({ definitions, subject, environment }: EvaluationRequest, key: string) {
  const tested = evaluateSteps(definitions.prepared, key, subject, environment);
  if (!tested) throw new ApiError('not_found');
  const { result, steps } = tested;
  return {
    key,
    value: result.value,
    variant: result.variant,
    payload: result.payload ?? null,
    reason: result.reason,
    condition_index: result.conditionIndex,
    steps: steps.map(({ conditionIndex, ...step }) => ({ ...step, condition_index: conditionIndex })),
  };
}
