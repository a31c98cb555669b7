import type { OrganizationContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/ids.js';
import { ADMIN, OWNER } from '../../kernel/rights.js';
import type { Db } from '../../ports/db.js';
import { logMember } from './activity.js';
import {
  deleteMember,
  deleteStrayKeys,
  endStraySessions,
  findMember,
  lockMembers,
  type MemberRow,
  readStanding,
  updateMember,
} from './store.js';

/** The member of a path segment: a user's UUID, or `@me`. @throws ApiError not_found */
export async function requireMember({ deps, organization, principal }: OrganizationContext, segment: string): Promise<MemberRow> {
  const uuid = segment === '@me' ? principal.userUuid : segment;
  const member = isUuid(uuid) ? await findMember(deps.db, organization.id, uuid) : undefined;
  if (!member) throw new ApiError('not_found');
  return member;
}

/** Changes a membership. @throws ApiError permission_denied, by the levels of both memberships under the lock */
export function changeMember(
  context: OrganizationContext,
  target: MemberRow,
  change: { level?: number | undefined; is_active?: boolean | undefined },
): Promise<MemberRow> {
  return alone(context, target, async (db, actor, current) => {
    requireMayEdit(actor, current);
    requireMayGrant(actor, change.level);
    await updateMember(db, current.membership_id, change, new Date(context.deps.clock.now()));
    await endStraySessions(db, current.user_id);
    const changed = requireRow(await findMember(db, context.organization.id, current.uuid));
    await logMember(db, context.deps, by(context), current, changed, 'updated');
    return changed;
  });
}

/** Ends a membership, and the sessions and keys of a user who has no other. @throws ApiError permission_denied */
export function removeMember(context: OrganizationContext, target: MemberRow): Promise<void> {
  return alone(context, target, async (db, actor, current) => {
    requireMayRemove(actor, current, actor.owners);
    await deleteMember(db, current.membership_id);
    await endStraySessions(db, current.user_id);
    await deleteStrayKeys(db, [current.user_id]);
    const activity = current.user_id === context.principal.userId ? 'left' : 'deleted';
    await logMember(db, context.deps, by(context), current, null, activity);
  });
}

const by = ({ organization, principal }: OrganizationContext) => ({ organizationId: organization.id, userId: principal.userId });

type Actor = { user_id: number; level: number; owners: number };

/** Runs a change under the lock of the organization's members, with rows read under the lock. */
function alone<T>(
  { deps, organization, principal }: OrganizationContext,
  target: MemberRow,
  change: (db: Db, actor: Actor, current: MemberRow) => Promise<T>,
): Promise<T> {
  return inTransaction(deps.db, async (trx) => {
    await lockMembers(trx, organization.id);
    const actor = await readStanding(trx, organization.id, principal.userId);
    if (!actor) throw new ApiError('permission_denied', "You don't have access to the organization.");
    const current = requireRow(await findMember(trx, organization.id, target.uuid));
    return change(trx, { ...actor, owners: actor.owners ?? 0 }, current);
  });
}

function requireRow(row: MemberRow | undefined): MemberRow {
  if (!row) throw new ApiError('not_found');
  return row;
}

/** Fields of a membership that the rules need. */
interface Standing {
  user_id: number;
  level: number;
}

const TOO_LOW = 'Your organization access level is insufficient.';

/** Requires an administrator; for `load`. */
export async function requireAdmin({ organization }: OrganizationContext): Promise<void> {
  if (organization.level < ADMIN) throw new ApiError('permission_denied', TOO_LOW);
}

/** Requires an owner; for `load`. */
export async function requireOwner({ organization }: OrganizationContext): Promise<void> {
  if (organization.level < OWNER) throw new ApiError('permission_denied', TOO_LOW);
}

/** Requires that `actor` may change the membership `target`. @throws ApiError permission_denied */
export function requireMayEdit(actor: Standing, target: Standing): void {
  if (actor.level < ADMIN) throw new ApiError('permission_denied', TOO_LOW);
  if (actor.user_id === target.user_id) throw new ApiError('permission_denied', "You can't change your own access level.");
  if (target.level > actor.level) {
    throw new ApiError('permission_denied', 'You can only edit others with level lower or equal to you.');
  }
}

/** Requires that `actor` may grant `level`. @throws ApiError permission_denied */
export function requireMayGrant(actor: Pick<Standing, 'level'>, level: number | undefined): void {
  if (level === undefined || level <= actor.level) return;
  throw new ApiError('permission_denied', 'You can only change access level of others to lower or equal to your current one.');
}

/** Requires that `actor` may end the membership `target`; all but the last owner may end their own. @throws ApiError permission_denied */
function requireMayRemove(actor: Standing, target: Standing, activeOwners: number): void {
  if (actor.user_id !== target.user_id) requireMayEdit(actor, target);
  else if (target.level >= OWNER && activeOwners <= 1) {
    throw new ApiError(
      'permission_denied',
      'The last owner cannot leave: make another member owner first, or delete the organization.',
    );
  }
}
