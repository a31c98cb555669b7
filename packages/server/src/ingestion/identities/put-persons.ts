import type { Deps } from '../../deps.js';
import type { JsonObject } from '../../kernel/json.js';
import { NO_DEVICE_PROPERTIES } from '../device-properties.js';
import { storableObject } from '../storable.js';
import { copyToEventStore } from '../writer/outbox.js';
import type { PersonTask } from './person-task.js';
import { resolvePersons } from './resolve.js';

/** A person as another system knows it. */
export interface PersonToPut {
  /** At least one. */
  distinctIds: readonly string[];
  properties: JsonObject;
  isIdentified: boolean;
  /** Epoch milliseconds, UTC: created_at of a new person. */
  createdAt: number;
}

/** Where a person was put. */
export interface PutPerson {
  uuid: string;
  /** Distinct ids that were not joined to the person, because too many clients send them for everybody. */
  refusedIds: string[];
}

/**
 * Creates or updates persons without an event, in both stores: as if one event had set the properties, and `$merge_dangerously` had joined
 * every further distinct id. Doing it again changes nothing.
 */
export async function putPersons(deps: Deps, projectId: number, persons: readonly PersonToPut[]): Promise<PutPerson[]> {
  const firstTask: number[] = [];
  const tasks: PersonTask[] = [];
  for (const person of persons) {
    firstTask.push(tasks.length);
    tasks.push(...tasksOf(deps, projectId, person));
  }
  const batch = await resolvePersons(deps, tasks);
  await copyToEventStore(deps, { ...batch, groups: [] }, batch.outboxIds);
  deps.services.intake.define({ ...batch, groups: [] });
  const refused = new Set(batch.warnings.map(({ details }) => details['eventUuid']));
  return firstTask.map((at, index) => ({
    uuid: batch.resolved[at]?.personId ?? '',
    refusedIds: tasks
      .slice(at, firstTask[index + 1])
      .flatMap(({ uuid, merge }) => (merge && refused.has(uuid) ? [merge.source] : [])),
  }));
}

function tasksOf({ ids }: Deps, projectId: number, { distinctIds, properties, isIdentified, createdAt }: PersonToPut) {
  const [distinctId = '', ...others] = distinctIds;
  const common = { projectId, distinctId, timestamp: createdAt, processProfile: true, device: NO_DEVICE_PROPERTIES };
  const nothing = { set: {}, setOnce: {}, unset: [] };
  const own: PersonTask = {
    ...common,
    ...nothing,
    event: '$set',
    uuid: ids.uuid(),
    set: storableObject(properties),
    merge: null,
    identifies: isIdentified,
  };
  const joins = others.map((source): PersonTask => {
    const merge = { source, force: true };
    return { ...common, ...nothing, event: '$merge_dangerously', uuid: ids.uuid(), merge, identifies: false };
  });
  // the person exists with all its ids before the properties are set: those of a person that joins would otherwise be newer
  return [...joins, own];
}
