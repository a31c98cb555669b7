import type { Insertable } from 'kysely';
import { storableJson } from '../../http/json-column.js';
import { nameUuid } from '../../name-uuid.js';
import type { DB } from '../../ports/db.js';
import { type ActivityScope, loggedValue, RESOURCES } from './entry.js';
import type { ImportedEntry } from './imported-schema.js';

const NAMESPACE = Buffer.from('4be2d1c09a7f5e3381c7d24f60b9ae15', 'hex');

/** The object whose log gets an entry, and who imports the entry when. */
interface ImportedInto {
  project: { id: number; organizationId: string };
  scope: ActivityScope & keyof typeof RESOURCES;
  itemId: number;
  /** Id of the user who imports. */
  by: number;
  /** ISO 8601. */
  at: string;
}

/** The row of an entry of another service. Its id is derived from the id there, so the same entry gets the same id each time. */
export function importedRow(
  { id, author = null, activity, created_at, name = null, changes = [] }: ImportedEntry,
  { project, scope, itemId, by, at }: ImportedInto,
): Insertable<DB['activity_log']> {
  return {
    id: nameUuid(NAMESPACE, JSON.stringify([project.id, scope, itemId, id])),
    organization_id: project.organizationId,
    project_id: project.id,
    user_id: null,
    activity,
    scope,
    item_id: String(itemId),
    resource: RESOURCES[scope],
    resource_id: itemId,
    detail: storableJson(
      JSON.stringify({
        name,
        short_id: null,
        changes: changes.map(({ action, field, before, after }) => ({
          type: scope,
          action,
          field,
          before: loggedValue(field, before ?? null),
          after: loggedValue(field, after ?? null),
        })),
        trigger: null,
        type: null,
        imported: { author, by, at },
      }),
    ),
    created_at,
  };
}
