import { type MembershipContext, userView } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid, uuidOfHex } from '../../kernel/ids.js';
import { ADMIN, MEMBER, type MembershipLevel } from '../../kernel/rights.js';
import { isUniqueViolation } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { type ActivityEntry, byCaller, changesBetween, recordActivity } from '../activity/index.js';
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

/** Creates an explicit membership. @throws ApiError permission_denied; invalid_input: the user has one already */
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

/** Ends a membership of the project. @throws ApiError not_found: another request was faster */
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

/** The caller's membership of the project; null without access to it. */
export interface Actor {
  userUuid: string;
  level: MembershipLevel | null;
}

const refuse = (detail: string): never => {
  throw new ApiError('permission_denied', detail);
};

/** @throws ApiError permission_denied below `least`, and for callers without access to the project */
export function requireLevel({ level }: Actor, least: number): void {
  if (level === null || level < least) refuse("You don't have sufficient permissions in the project.");
}

/** Requires that `actor` may grant `level` (undefined: it stays). @throws ApiError permission_denied */
function requireMayGrant(actor: Actor, level: number | undefined): void {
  if (level !== undefined && level > (actor.level ?? 0)) {
    refuse('You can only set access level to lower or equal to your current one.');
  }
}

/** Requires that `actor` may add the user of `userUuid` with `level`. @throws ApiError permission_denied */
export function requireMayAdd(actor: Actor, userUuid: string, level: number): void {
  if (userUuid === actor.userUuid) refuse("You can't explicitly add yourself to projects.");
  requireMayGrant(actor, level);
}

/** Requires that `actor` may set `level` (undefined: it stays) of the member `target`. @throws ApiError permission_denied */
export function requireMaySet(actor: Actor, target: { uuid: string; level: number }, level: number | undefined): void {
  if (target.uuid === actor.userUuid) {
    if (level !== undefined) refuse("You can't set your own access level.");
    return;
  }
  if (target.level > (actor.level ?? 0)) refuse('You can only edit others with level lower or equal to you.');
  requireMayGrant(actor, level);
}

/** Requires that `actor` may end the membership of the user of `userUuid`; all may end their own. @throws ApiError permission_denied */
export function requireMayRemove(actor: Actor, userUuid: string): void {
  if (userUuid !== actor.userUuid) requireLevel(actor, ADMIN);
}

/** An explicit member as the API shows it. */
export const memberView = (row: MemberRow) => ({
  id: row.explicit_id,
  level: row.level,
  parent_level: row.parent_level,
  parent_membership_id: row.membership_id,
  joined_at: isoTime(row.joined_at),
  updated_at: isoTime(row.updated_at),
  user: userView(row),
  user_uuid: row.uuid,
  effective_level: Math.max(row.level, row.parent_level),
});
