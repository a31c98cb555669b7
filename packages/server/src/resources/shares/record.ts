import type { ProjectContext } from '../../auth/index.js';
import { type Activity, type ActivityEntry, byCaller, type Change } from '../activity/index.js';
import type { SharedObject } from './store.js';

/** A shared object with what the activity log calls it. */
export interface NamedObject extends SharedObject {
  name: string | null;
  shortId: string | null;
}

/** The entry in the activity log about a change of how an object is shared. Never give it a token or a password. */
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
