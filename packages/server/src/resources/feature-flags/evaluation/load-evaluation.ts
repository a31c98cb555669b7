import type { Environment, Subject } from '@tidemark/flags';
import type { Deps } from '../../../deps.js';
import { type Definitions, environmentOf, subjectOf } from '../../../evaluation/index.js';
import type { TestFields } from './schema.js';

/** The input of an evaluation of flags. */
export interface EvaluationRequest {
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
