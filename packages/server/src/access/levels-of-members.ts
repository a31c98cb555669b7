import { ADMIN, type MembershipLevel } from '../kernel/rights.js';
import type { Db } from '../ports/db.js';
import { type AccessObject, accessFromLevels, EVERYTHING } from './access.js';
import { ACCESS_LEVELS, type AccessLevel, type AccessResource } from './levels.js';
import { type Rule, resolveLevels } from './rules.js';

/** What gives a member a level on an object, strongest first. */
export const LEVEL_REASONS = [
  'organization_admin',
  'creator',
  'member_rule',
  'role_rule',
  'everybody_rule',
  'default_level',
] as const;
type LevelReason = (typeof LEVEL_REASONS)[number];

/** The level of a member on an object, and its reason. */
interface MemberLevel {
  level: AccessLevel;
  reason: LevelReason;
  /** The roles that give the level, where the reason is `role_rule`. */
  roles: string[];
}

/** A member as access rules know them. */
interface Member {
  user: { id: number };
  membership: { id: string; level: MembershipLevel };
}

/** A rule as one member sees it. */
interface MemberRule extends Rule {
  /** The role that the rule is for; null: it is for the member or for everybody. */
  role: string | null;
}

/** The levels of members on one object, in their order. It takes one statement for any number of members. */
export async function levelsOfMembers(
  db: Db,
  projectId: number,
  { resource, object }: { resource: AccessResource; object: AccessObject },
  members: readonly Member[],
): Promise<MemberLevel[]> {
  const rules = await rulesOn(db, projectId, resource, object.id);
  return members.map(({ user, membership }): MemberLevel => {
    const own = rules.filter(({ isNamed, membershipId }) => !isNamed || membershipId === membership.id);
    const isAdmin = membership.level >= ADMIN;
    const levels = isAdmin ? EVERYTHING : resolveLevels(own);
    const level = accessFromLevels(levels, resource, user.id).levelOn(object);
    if (isAdmin) return { level, reason: 'organization_admin', roles: [] };
    if (object.created_by === user.id) return { level, reason: 'creator', roles: [] };
    return { level, ...reasonOf(own, level) };
  });
}

/** Which of the rules that apply to a member decide about the level. */
function reasonOf(rules: readonly MemberRule[], level: AccessLevel): Pick<MemberLevel, 'reason' | 'roles'> {
  const aboutObject = rules.filter(({ objectId }) => objectId !== null);
  const deciding = (aboutObject.length > 0 ? aboutObject : rules).filter((rule) => rule.level === level);
  const named = deciding.filter(({ isNamed }) => isNamed);
  if (named.some(({ role }) => role === null)) return { reason: 'member_rule', roles: [] };
  const roles = [...new Set(named.flatMap(({ role }) => role ?? []))].sort();
  if (roles.length > 0) return { reason: 'role_rule', roles };
  return { reason: deciding.length > 0 ? 'everybody_rule' : 'default_level', roles: [] };
}

/** The rules about an object and about all objects of its kind; one for a role counts once for each member who has the role. */
async function rulesOn(
  db: Db,
  projectId: number,
  resource: AccessResource,
  objectId: number,
): Promise<(MemberRule & { membershipId: string | null })[]> {
  const rows = await db
    .selectFrom('access_controls as a')
    .leftJoin('roles as r', 'r.id', 'a.role_id')
    .leftJoin('role_memberships as own', 'own.role_id', 'a.role_id')
    .select(['a.resource_id', 'a.access_level', 'a.role_id', 'r.name as role'])
    .select((e) => e.fn.coalesce('a.membership_id', 'own.membership_id').as('membership_id'))
    .where('a.project_id', '=', projectId)
    .where('a.resource', '=', resource)
    .where((w) => w.or([w('a.resource_id', 'is', null), w('a.resource_id', '=', String(objectId))]))
    .execute();
  return rows.map(({ resource_id, access_level, membership_id, role_id, role }) => ({
    objectId: resource_id,
    level: ACCESS_LEVELS.find((level) => level === access_level) ?? 'none',
    isNamed: membership_id !== null || role_id !== null,
    membershipId: membership_id,
    role: role_id === null ? null : role,
  }));
}
