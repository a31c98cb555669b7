import type { OrganizationContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/ids.js';
import type { Db } from '../../ports/db.js';
import { logMember } from './log.js';
import {
  deleteMember,
  deleteStrayKeys,
  endStraySessions,
  findMember,
  lockMembers,
  type MemberRow,
  readStanding,
  updateMember,
} from './members-store.js';
import { requireMayEdit, requireMayGrant, requireMayRemove } from './rules.js';

/** The member of a path segment: a user's UUID, or `@me`. @throws ApiError not_found */
export async function requireMember({ deps, organization, principal }: OrganizationContext, segment: string): Promise<MemberRow> {
  const uuid = segment === '@me' ? principal.userUuid : segment;
  const member = isUuid(uuid) ? await findMember(deps.db, organization.id, uuid) : undefined;
  if (!member) throw new ApiError('not_found');
  return member;
}

/** Changes a membership. @throws ApiError permission_denied, by what both memberships are at that moment */
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

/** Ends a membership, with the log-ins and keys that nothing holds any more. @throws ApiError permission_denied */
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

/** Runs a change while nobody else changes members of the organization, on what is true then. */
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
