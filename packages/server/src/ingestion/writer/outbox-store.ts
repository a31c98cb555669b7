import { isObject, type JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import type { GroupRow, PersonOverrideRow, PersonRow } from '../../ports/events.js';
import { personUuid } from '../identities/index.js';

/** An entry for a row whose copy in the event store is not confirmed. */
export interface OutboxEntry {
  id: number;
  kind: string;
  project_id: number;
  key: string;
  /** Version of the row after the change. */
  version: number;
}

/** Keys of rows to copy to the event store, with the newest version recorded of each. */
export type Keys = ReadonlyMap<string, number>;

/** The oldest entries of all projects up to the one with the id `newest`: the outbox belongs to the service, not to a project. */
export async function oldestEntries(db: Db, limit: number, newest: number): Promise<OutboxEntry[]> {
  return db
    .selectFrom('analytics_outbox')
    .select(['id', 'kind', 'project_id', 'key', 'version'])
    .where('id', '<=', newest)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The id of the newest entry; 0 if the outbox is empty. */
export async function newestEntry(db: Db): Promise<number> {
  const { id } = await db
    .selectFrom('analytics_outbox')
    .select((e) => e.fn.max('id').as('id'))
    .executeTakeFirstOrThrow();
  return id ?? 0;
}

export async function deleteEntries(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom('analytics_outbox').where('id', 'in', ids).execute();
}

/** The present rows of the persons with these uuids; missing persons are returned as deleted. */
export async function personRows(db: Db, projectId: number, keys: Keys): Promise<PersonRow[]> {
  if (keys.size === 0) return [];
  const persons = await db
    .selectFrom('persons')
    .select(['uuid', 'properties', 'is_identified', 'created_at', 'version'])
    .where('project_id', '=', projectId)
    .where('uuid', 'in', [...keys.keys()])
    .execute();
  const rows = persons.map((person) => ({
    project_id: projectId,
    person_id: person.uuid,
    properties: objectOf(person.properties),
    is_identified: person.is_identified,
    is_deleted: false,
    created_at: person.created_at.getTime(),
    version: person.version,
  }));
  const present = new Set(rows.map((row) => row.person_id));
  const gone = [...keys].filter(([uuid]) => !present.has(uuid));
  return [...rows, ...gone.map(([uuid, version]) => deletedPerson(projectId, uuid, version))];
}

const deletedPerson = (projectId: number, uuid: string, version: number): PersonRow => ({
  project_id: projectId,
  person_id: uuid,
  properties: {},
  is_identified: false,
  is_deleted: true,
  created_at: 0,
  version,
});

/** The present persons of these distinct ids; an id of a deleted person belongs to its own uuid again. */
export async function overrideRows(db: Db, projectId: number, keys: Keys): Promise<PersonOverrideRow[]> {
  if (keys.size === 0) return [];
  const versions = new Map(keys);
  const found = await db
    .selectFrom('person_distinct_ids')
    .innerJoin('persons', 'persons.id', 'person_distinct_ids.person_id')
    .select(['person_distinct_ids.distinct_id', 'person_distinct_ids.version', 'persons.uuid as person_id'])
    .where('person_distinct_ids.project_id', '=', projectId)
    .where('person_distinct_ids.distinct_id', 'in', [...versions.keys()])
    .execute();
  for (const row of found) versions.delete(row.distinct_id);
  const gone = [...versions].map(([distinct_id, version]) => {
    return { distinct_id, version, person_id: personUuid(projectId, distinct_id) };
  });
  return [...found, ...gone].map((row) => ({ project_id: projectId, ...row }));
}

/** The present rows of the groups with these `<index>:<key>` keys, without missing ones. */
export async function groupRows(db: Db, projectId: number, keys: Keys): Promise<GroupRow[]> {
  if (keys.size === 0) return [];
  const rows = await db
    .selectFrom('groups')
    .select(['group_type_index', 'group_key', 'group_properties', 'created_at', 'version'])
    .where('project_id', '=', projectId)
    .where((eb) =>
      eb.or(
        [...keys.keys()].map((key) =>
          eb.and([
            eb('group_type_index', '=', Number(key.slice(0, key.indexOf(':')))),
            eb('group_key', '=', key.slice(key.indexOf(':') + 1)),
          ]),
        ),
      ),
    )
    .execute();
  return rows.map((row) => ({
    project_id: projectId,
    group_type_index: row.group_type_index,
    group_key: row.group_key,
    properties: objectOf(row.group_properties),
    created_at: row.created_at.getTime(),
    version: row.version,
  }));
}

/** A jsonb column, which the driver has parsed. */
function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
