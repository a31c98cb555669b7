import type { Environment, Subject } from '@tidemark/flags';
import { evaluateSteps } from '@tidemark/flags/explain';
import { z } from 'zod';
import type { Deps } from '../../../deps.js';
import { type Definitions, environmentOf, subjectOf } from '../../../evaluation/index.js';
import { ApiError } from '../../../kernel/errors.js';
import type { TestFields } from './schema.js';

const propertySchema = z.object({
  property: z.unknown().describe('The property of the condition, as stored.'),
  matches: z.boolean().nullable().describe('Whether it matches; null: unknown.'),
  message: z.string().describe('The result in words.'),
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
    message: z.string().describe('Result of the step, in words.'),
    properties: z.array(propertySchema).describe('Results of the properties of the condition.'),
    rollout: z
      .object({
        identifier: z.string().describe('The identifier that is hashed for the percentage.'),
        share: z.number().describe('Hash of the identifier, 0 to 1.'),
        percentage: z.number().describe('Rollout percentage of the condition, 0 to 100.'),
      })
      .nullable()
      .describe('The rollout, if the step evaluated one.'),
  })
  .meta({ description: 'A step of the evaluation.' });

/** The evaluation of a flag, step by step. */
export const testedSchema = z.object({
  key: z.string().describe('Key of the flag.'),
  value: z.union([z.boolean(), z.string()]).describe('False, true, or the key of a variant.'),
  variant: z.string().nullable().describe('Key of the variant; null: none.'),
  payload: z.unknown().describe('Payload of the value, as stored; null: none.'),
  reason: z.string().describe('Reason, as in responses of `/flags`: `condition_match`, `out_of_rollout_bound`, …'),
  condition_index: z.int().nullable().describe('Index of the condition of the reason; null: none.'),
  steps: z.array(stepSchema).describe('The steps of the evaluation.'),
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

/** The input of an evaluation of flags. */
interface EvaluationRequest {
  definitions: Definitions;
  subject: Subject;
  environment: Environment;
}

/** Loads the current flag definitions and the subject of the evaluation. Values in the request override stored ones. */
export async function loadEvaluation(deps: Deps, projectId: number, fields: TestFields): Promise<EvaluationRequest> {
  // a user who tests a flag may have changed it a moment before: read the newest definitions
  const { flagDefinitions } = deps.services;
  flagDefinitions.invalidate(projectId);
  const definitions = await flagDefinitions.get(projectId);
  const {
    distinct_id: distinctId,
    device_id: deviceId = null,
    groups = new Map(),
    person_properties: personProperties = {},
    group_properties: groupProperties = new Map(),
  } = fields;
  const subject = await subjectOf(deps, definitions, { distinctId, deviceId, groups, personProperties, groupProperties });
  return { definitions, subject, environment: environmentOf(deps, definitions) };
}
