import type { MembershipContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid, uuidOfHex } from '../../kernel/ids.js';
import { MEMBER } from '../../kernel/levels.js';
import { isUniqueViolation } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { type ActivityEntry, byCaller, changesBetween, recordActivity } from '../activity/index.js';
import { type Actor, requireMayAdd, requireMaySet } from './rules.js';
import { deleteMember, findMember, insertMember, lockCandidate, lockMember, type MemberRow, updateLevel } from './store.js';

export const actorOf = ({ principal, standing }: MembershipContext): Actor => ({
  userUuid: principal.userUuid,
  level: standing?.level ?? null,
});

/** The user that a path segment names: a UUID in any spelling, or `@me`; the segment itself when it is neither. */
export const userUuidOf = ({ principal }: MembershipContext, segment: string): string =>
  segment === '@me' ? principal.userUuid : isUuid(segment) ? uuidOfHex(segment.replaceAll('-', '').toLowerCase()) : segment;

/** @throws ApiError not_found: no explicit member of the project */
export async function requireMember({ deps, project }: MembershipContext, userUuid: string): Promise<MemberRow> {
  return found(isUuid(userUuid) ? await findMember(deps.db, project.id, userUuid) : undefined);
}

/** Makes a user an explicit member. @throws ApiError permission_denied; invalid_input when they are one already */
export async function addMember(
  context: MembershipContext,
  { user_uuid: userUuid, level = MEMBER }: { user_uuid: string; level?: number | undefined },
): Promise<MemberRow> {
  const { deps, project } = context;
  requireMayAdd(actorOf(context), userUuid, level);
  const now = new Date(deps.clock.now());
  try {
    return await inTransaction(deps.db, async (trx) => {
      const candidate = await lockCandidate(trx, project.id, userUuid);
      if (!candidate) throw new ApiError('permission_denied', 'You both need to belong to the same organization.');
      const { membership_id } = candidate;
      const id = deps.ids.uuid();
      await insertMember(trx, project.id, { id, membership_id, level }, now);
      const member = { ...candidate, explicit_id: id, level, joined_at: now, updated_at: now };
      await note(trx, context, member, 'created', changesBetween('ExplicitMember', { level: null }, { level }, ['level']));
      return member;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ApiError('invalid_input', 'This user likely already is an explicit member of the project.');
  }
}

/** Sets the level of a member; undefined: it stays. @throws ApiError permission_denied, not_found */
export async function setLevel(context: MembershipContext, member: MemberRow, level: number | undefined): Promise<MemberRow> {
  const { deps, project } = context;
  requireMaySet(actorOf(context), member, level);
  if (level === undefined) return member;
  const now = new Date(deps.clock.now());
  return inTransaction(deps.db, async (trx) => {
    const current = found(await lockMember(trx, project.id, member.uuid));
    await updateLevel(trx, project.id, current.explicit_id, level, now);
    await note(trx, context, current, 'updated', changesBetween('ExplicitMember', current, { level }, ['level']));
    return { ...current, level, updated_at: now };
  });
}

/** Ends a membership of the project. @throws ApiError not_found when somebody else was faster */
export async function removeMember(context: MembershipContext, member: MemberRow): Promise<void> {
  const { deps, project, principal } = context;
  await inTransaction(deps.db, async (trx) => {
    const current = found(await lockMember(trx, project.id, member.uuid));
    await deleteMember(trx, project.id, current.explicit_id);
    const activity = current.uuid === principal.userUuid ? 'left' : 'deleted';
    await note(trx, context, current, activity, changesBetween('ExplicitMember', current, { level: null }, ['level']));
  });
}

function found(row: MemberRow | undefined): MemberRow {
  if (!row) throw new ApiError('not_found');
  return row;
}

function note(
  trx: Db,
  context: MembershipContext,
  member: MemberRow,
  activity: ActivityEntry['activity'],
  changes: NonNullable<ActivityEntry['detail']['changes']>,
): Promise<void> {
  return recordActivity(trx, context.deps, {
    ...byCaller(context),
    activity,
    scope: 'ExplicitMember',
    itemId: member.explicit_id,
    detail: { name: member.email, changes },
  });
}
