import type { Deps } from '../../deps.js';
import type { Db } from '../../ports/db.js';
import { type ActivityEntry, changesBetween, recordActivities } from '../activity/index.js';
import { type KeyRow, type Place, placesOf } from './store.js';

/**
 * Records a change of a key in each organization that it reaches or reached, as that organization sees it: a key
 * that is opened to an organization is new there, and one that is closed to it is gone. `before` null: a new key; `after`
 * null: a deleted one.
 */
export async function logKey(
  db: Db,
  deps: Pick<Deps, 'clock' | 'ids'>,
  before: KeyRow | null,
  after: KeyRow | null,
  activity: 'updated' | 'rolled' = 'updated',
): Promise<void> {
  const key = after ?? before;
  if (!key) return;
  const places = await placesOf(db, key.user_id, [...(before?.scoped_teams ?? []), ...(after?.scoped_teams ?? [])]);
  const entries = places.flatMap((place): ActivityEntry[] => {
    const was = before && seenFrom(place, before);
    const is = after && seenFrom(place, after);
    if (!was && !is) return [];
    return [
      {
        organizationId: place.organization_id,
        projectId: null,
        userId: key.user_id,
        activity: was && is ? activity : is ? 'created' : 'deleted',
        scope: 'PersonalAPIKey',
        itemId: key.id,
        detail: { name: key.label, changes: is ? changesBetween('PersonalAPIKey', was ?? NOTHING, is, FIELDS) : [] },
      },
    ];
  });
  await recordActivities(db, deps, entries);
}

const FIELDS = ['label', 'scopes', 'scoped_teams', 'scoped_organizations'] as const;
const NOTHING = { label: null, scopes: null, scoped_teams: null, scoped_organizations: null };

/** A key without what it says of other organizations; null when it does not reach this one. */
function seenFrom({ organization_id, projects }: Place, { label, scopes, scoped_teams, scoped_organizations }: KeyRow) {
  const teams = scoped_teams.filter((id) => projects.includes(id));
  const organizations = scoped_organizations.filter((id) => id === organization_id);
  const isElsewhere =
    (scoped_teams.length > 0 && teams.length === 0) || (scoped_organizations.length > 0 && organizations.length === 0);
  return isElsewhere ? null : { label, scopes, scoped_teams: teams, scoped_organizations: organizations };
}
