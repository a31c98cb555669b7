import { systemIds } from '../adapters/system/index.js';
import { NO_DEVICE_PROPERTIES } from '../ingestion/device-properties.js';
import type { PersonTask } from '../ingestion/identities/person-task.js';
import type { Db } from '../ports/db.js';

/** A new project in an organization of its own; answers with its id. */
export async function testProject(db: Db): Promise<number> {
  const times = { created_at: new Date(0), updated_at: new Date(0) };
  const organizationId = systemIds.uuid();
  await db
    .insertInto('organizations')
    .values({ id: organizationId, name: 'Test', slug: organizationId, ...times })
    .execute();
  const { id } = await db
    .insertInto('projects')
    .values({ uuid: systemIds.uuid(), organization_id: organizationId, name: 'Test', api_token: systemIds.uuid(), ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** What an ordinary event of ann asks of the persons. */
export function personTask(fields: Partial<PersonTask> = {}): PersonTask {
  return {
    projectId: 1,
    distinctId: 'ann',
    event: 'test event',
    uuid: '018f4e58-9d3c-7a55-8f0e-3b6f0c9a1d20',
    timestamp: 1_700_000_000_000,
    processProfile: true,
    device: NO_DEVICE_PROPERTIES,
    set: {},
    setOnce: {},
    unset: [],
    merge: null,
    identifies: false,
    ...fields,
  };
}

/** `$identify` of `distinctId` by somebody known as `source` until now. */
export const identifyTask = (distinctId: string, source: string, fields: Partial<PersonTask> = {}): PersonTask =>
  personTask({ distinctId, event: '$identify', merge: { source, force: false }, identifies: true, ...fields });
