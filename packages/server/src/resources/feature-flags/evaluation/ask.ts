import type { Environment, Subject } from '@tidemark/flags';
import type { Deps } from '../../../deps.js';
import { type Definitions, environmentOf, subjectOf } from '../../../evaluation/index.js';
import type { TestFields } from './schema.js';

/** All that flags are evaluated by. */
export interface Asked {
  definitions: Definitions;
  subject: Subject;
  environment: Environment;
}

/** What flags are now, and for whom they are asked about: what is sent counts before what is stored. */
export async function ask(deps: Deps, projectId: number, fields: TestFields): Promise<Asked> {
  // whoever has just changed a flag asks about that
  const { flagDefinitions } = deps.services;
  flagDefinitions.forget(projectId);
  const definitions = await flagDefinitions.of(projectId);
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
