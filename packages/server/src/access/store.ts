import type { Db } from '../ports/db.js';
import { ACCESS_LEVELS, type AccessResource } from './levels.js';
import type { Rule } from './rules.js';

/** A rule, and the kind of object that it is about. */
export interface ResourceRule extends Rule {
  resource: string;
}

/**
 * All rules about these kinds of objects that apply to a member: those for everybody, for the member and for roles of theirs.
 * `membershipId` null: those for everybody alone.
 */
export async function rulesFor(
  db: Db,
  projectId: number,
  resources: readonly AccessResource[],
  membershipId: string | null,
): Promise<ResourceRule[]> {
  const rows = await db
    .selectFrom('access_controls as a')
    .select(['a.resource', 'a.resource_id', 'a.access_level', 'a.membership_id', 'a.role_id'])
    .where('a.project_id', '=', projectId)
    .where('a.resource', 'in', resources)
    .where((w) => {
      const forEverybody = w.and([w('a.membership_id', 'is', null), w('a.role_id', 'is', null)]);
      if (membershipId === null) return forEverybody;
      const roles = w.selectFrom('role_memberships as r').select('r.role_id').where('r.membership_id', '=', membershipId);
      return w.or([w('a.membership_id', '=', membershipId), w('a.role_id', 'in', roles), forEverybody]);
    })
    .execute();
  return rows.map((row) => ({
    resource: row.resource,
    objectId: row.resource_id,
    level: ACCESS_LEVELS.find((level) => level === row.access_level) ?? 'none',
    isNamed: row.membership_id !== null || row.role_id !== null,
  }));
}
