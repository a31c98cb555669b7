import type { ProjectContext } from '../../auth/index.js';
import type { DbTransaction } from '../../ports/db.js';
import { recordActivities } from '../activity/index.js';
import { type NamedObject, sharingEntry } from './record.js';
import { closePages } from './store.js';

/**
 * Closes the public pages of objects of one kind until somebody opens them again, and notes this in the activity log.
 * Objects without an open page stay as they are.
 */
export async function stopSharing(tx: DbTransaction, context: ProjectContext, objects: readonly NamedObject[]): Promise<void> {
  const [first] = objects;
  if (!first) return;
  const ids = objects.map(({ id }) => id);
  const closed = await closePages(tx, context.project.id, first.kind, ids);
  const change = { type: 'SharingConfiguration', action: 'changed', field: 'enabled', before: true, after: false } as const;
  const entries = closed.flatMap(({ id, objectId }) =>
    objects.filter((object) => object.id === objectId).map((object) => sharingEntry(context, object, 'updated', id, [change])),
  );
  await recordActivities(tx, context.deps, entries);
}
