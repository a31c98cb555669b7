import type { ProjectContext } from '../../auth/index.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import { type Activity, type ActivityEntry, byCaller, type Change, recordActivities } from '../activity/index.js';

/** A shared object with its names in the activity log. */
interface NamedObject extends SharedObject {
  name: string | null;
  shortId: string | null;
}

/** The entry in the activity log about a change of an object's sharing. `changes` must not contain tokens or passwords. */
export const sharingEntry = (
  context: Pick<ProjectContext, 'principal' | 'project'>,
  object: NamedObject,
  activity: Activity,
  itemId: number,
  changes: readonly Change[],
  scope: 'SharingConfiguration' | 'SharePassword' = 'SharingConfiguration',
): ActivityEntry => ({
  ...byCaller(context),
  activity,
  scope,
  itemId,
  of: { resource: object.kind, id: object.id },
  detail: { name: object.name, short_id: object.shortId, type: object.kind, changes },
});

/**
 * Unpublishes the pages of objects of one kind, and records this in the activity log.
 * Objects without a published page stay as they are.
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

/** An object that can have a public page. */
export interface SharedObject {
  kind: 'dashboard' | 'insight' | 'session_recording';
  id: number;
}

/** The column of `sharing_configurations` that references objects of a kind. */
export const SHARED_COLUMN = { dashboard: 'dashboard_id', insight: 'insight_id', session_recording: 'recording_id' } as const;

/** Unpublishes the pages of these objects, also under replaced tokens. Returns the configurations that were published. */
const closePages = (
  db: Db,
  projectId: number,
  kind: SharedObject['kind'],
  ids: readonly number[],
): Promise<{ id: number; objectId: number | null }[]> =>
  db
    .updateTable('sharing_configurations')
    .set({ enabled: false, published_by: null, previous_token: null, previous_token_expires_at: null })
    .where('project_id', '=', projectId)
    .where(SHARED_COLUMN[kind], 'in', ids)
    .where('enabled', '=', true)
    .returning(['id', `${SHARED_COLUMN[kind]} as objectId`])
    .execute();
