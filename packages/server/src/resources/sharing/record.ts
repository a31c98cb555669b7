import type { ProjectContext } from '../../identity/index.js';
import type { Db } from '../../ports/db.js';
import { type Activity, byCaller, type Change, recordActivity } from '../activity/index.js';
import type { ShareTarget } from './shareable.js';

/** Writes down a change of how something is shared. Never give it a token or a password. */
export function recordSharing(
  db: Db,
  context: ProjectContext,
  target: ShareTarget,
  activity: Activity,
  itemId: number,
  changes: readonly Change[],
  scope: 'SharingConfiguration' | 'SharePassword' = 'SharingConfiguration',
): Promise<void> {
  return recordActivity(db, context.deps, {
    ...byCaller(context),
    activity,
    scope,
    itemId,
    of: { resource: target.kind, id: target.id },
    detail: { name: target.name, short_id: target.shortId, type: target.kind, changes },
  });
}
