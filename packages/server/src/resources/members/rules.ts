import { ApiError } from '../../kernel/errors.js';
import { ADMIN, type MembershipLevel } from '../../kernel/levels.js';

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

/** Whether `actor` may give `level` (undefined: it stays) to somebody. @throws ApiError permission_denied */
function requireMayGrant(actor: Actor, level: number | undefined): void {
  if (level !== undefined && level > (actor.level ?? 0)) {
    refuse('You can only set access level to lower or equal to your current one.');
  }
}

/** Whether `actor` may make the user of `userUuid` a member with `level`. @throws ApiError permission_denied */
export function requireMayAdd(actor: Actor, userUuid: string, level: number): void {
  if (userUuid === actor.userUuid) refuse("You can't explicitly add yourself to projects.");
  requireMayGrant(actor, level);
}

/** Whether `actor` may set `level` (undefined: it stays) of the member `target`. @throws ApiError permission_denied */
export function requireMaySet(actor: Actor, target: { uuid: string; level: number }, level: number | undefined): void {
  if (target.uuid === actor.userUuid) {
    if (level !== undefined) refuse("You can't set your own access level.");
    return;
  }
  if (target.level > (actor.level ?? 0)) refuse('You can only edit others with level lower or equal to you.');
  requireMayGrant(actor, level);
}

/** Whether `actor` may end the membership of the user of `userUuid`; one's own may be ended by anyone. @throws ApiError permission_denied */
export function requireMayRemove(actor: Actor, userUuid: string): void {
  if (userUuid !== actor.userUuid) requireLevel(actor, ADMIN);
}
