import type { Deps } from '../../deps.js';
import { storableJson } from '../../http/json-column.js';
import type { Db } from '../../ports/db.js';
import { type ActivityEntry, RESOURCES, type Subject } from './entry.js';
import { insertActivities } from './store.js';

type Sources = Pick<Deps, 'clock' | 'ids'>;

/** {@link recordActivities} for one entry. */
export const recordActivity = (db: Db, deps: Sources, entry: ActivityEntry): Promise<void> => recordActivities(db, deps, [entry]);

/**
 * Inserts entries, in one statement for each thousand. `db`: the transaction of the change, so that both are stored or neither.
 * Entries `updated` without changes are left out.
 */
export async function recordActivities(db: Db, deps: Sources, entries: readonly ActivityEntry[]): Promise<void> {
  const createdAt = new Date(deps.clock.now());
  const rows = entries.filter(isChange).map((entry) => {
    const subject = subjectOf(entry);
    return {
      // ids that grow keep the order of entries of the same millisecond
      id: deps.ids.uuid7(),
      organization_id: entry.organizationId,
      project_id: entry.projectId,
      user_id: entry.userId,
      activity: entry.activity,
      scope: entry.scope,
      item_id: entry.itemId === null ? null : String(entry.itemId),
      resource: subject?.resource ?? null,
      resource_id: subject?.id ?? null,
      detail: storableJson(JSON.stringify(detailColumn(entry.detail))),
      created_at: createdAt,
    };
  });
  await insertActivities(db, rows);
}

const isChange = (entry: ActivityEntry): boolean => entry.activity !== 'updated' || Boolean(entry.detail.changes?.length);

/** The object whose access rules decide who sees an entry: the one that changed, or the one that it is a part of. */
function subjectOf(entry: ActivityEntry): Subject | null {
  if ('of' in entry) return entry.of;
  return hasRules(entry) ? { resource: RESOURCES[entry.scope], id: entry.itemId } : null;
}

const hasRules = (entry: ActivityEntry): entry is Extract<ActivityEntry, { scope: keyof typeof RESOURCES }> =>
  entry.scope in RESOURCES;

const detailColumn = ({ name, short_id = null, changes = [], trigger = null, type = null }: ActivityEntry['detail']) => ({
  name,
  short_id,
  changes,
  trigger,
  type,
});
