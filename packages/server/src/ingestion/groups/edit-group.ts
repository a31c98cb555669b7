import type { Deps } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import { storableObject } from '../storable.js';
import { copyToEventStore } from '../writer/outbox.js';
import { MAX_PROPERTIES } from './resolve.js';
import { type ChangedGroup, groupRow, insertGroup, lockGroup, updateGroup } from './store.js';

/** Identifies a group within its project. */
export interface GroupName {
  index: number;
  key: string;
}

/** A group after a change. */
export interface EditedGroup {
  id: number;
  group_type_index: number;
  group_key: string;
  group_properties: JsonObject;
  created_at: Date;
}

/** Work inside the transaction of a change; an exception rolls the change back. */
export type Along = (trx: Db, before: JsonObject, after: EditedGroup) => Promise<void>;

/**
 * Creates a group as `$groupidentify` does, in both stores. Returns null if the key exists. `createdAt` is in epoch milliseconds; now by
 * default.
 * @throws ApiError invalid_input when the properties are too large
 */
export function createGroup(
  deps: Deps,
  projectId: number,
  { index, key, properties, createdAt }: GroupName & { properties: JsonObject; createdAt?: number | undefined },
  along: Along,
): Promise<EditedGroup | null> {
  const now = deps.clock.now();
  const group = { projectId, index, key, set: JSON.stringify(storableObject(properties)), timestamp: createdAt ?? now };
  return edit(deps, along, async (trx) => ({ before: {}, changed: await insertGroup(trx, now, group) }));
}

/**
 * Sets and removes properties of a group, in both stores. Returns null if there is no such group.
 * @throws ApiError invalid_input when the properties become too large
 */
export function changeGroup(
  deps: Deps,
  projectId: number,
  { index, key }: GroupName,
  { set = {}, unset = [] }: { set?: JsonObject; unset?: readonly string[] },
  along: Along,
): Promise<EditedGroup | null> {
  const change = { set: JSON.stringify(storableObject(set)), unset };
  return edit(deps, along, async (trx) => {
    const group = await lockGroup(trx, projectId, index, key);
    if (!group) return {};
    const before = isObject(group.group_properties) ? group.group_properties : {};
    return { before, changed: await updateGroup(trx, projectId, group.id, deps.clock.now(), change) };
  });
}

type Write = (trx: DbTransaction) => Promise<{ before?: JsonObject; changed?: ChangedGroup | undefined }>;

async function edit(deps: Deps, along: Along, write: Write): Promise<EditedGroup | null> {
  const readAt = deps.scheduler.uptime();
  const edited = await deps.db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (trx) => {
      const { before = {}, changed } = await write(trx);
      if (!changed) return null;
      if (changed.properties.length > MAX_PROPERTIES) {
        throw new ApiError('invalid_input', `A group may have properties of ${MAX_PROPERTIES} characters of JSON.`);
      }
      const row = groupRow(changed);
      const after = {
        id: changed.id,
        group_type_index: row.group_type_index,
        group_key: row.group_key,
        group_properties: row.properties,
        created_at: new Date(row.created_at),
      };
      await along(trx, before, after);
      return { row, after, outboxId: changed.outbox_id };
    });
  if (!edited) return null;
  const rows = { persons: [], overrides: [], groups: [edited.row], readAt };
  await copyToEventStore(deps, rows, [edited.outboxId]);
  deps.services.intake.define(rows);
  return edited.after;
}
