import type { OrganizationContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { ADMIN, OWNER } from '../../kernel/levels.js';

/** Fields of a membership that the rules need. */
export interface Standing {
  user_id: number;
  level: number;
}

const TOO_LOW = 'Your organization access level is insufficient.';

/** For `load`: only administrators go on. */
export async function requireAdmin({ organization }: OrganizationContext): Promise<void> {
  if (organization.level < ADMIN) throw new ApiError('permission_denied', TOO_LOW);
}

/** For `load`: only owners go on. */
export async function requireOwner({ organization }: OrganizationContext): Promise<void> {
  if (organization.level < OWNER) throw new ApiError('permission_denied', TOO_LOW);
}

/** Whether `actor` may change anything of the membership `target`. @throws ApiError permission_denied */
export function requireMayEdit(actor: Standing, target: Standing): void {
  if (actor.level < ADMIN) throw new ApiError('permission_denied', TOO_LOW);
  if (actor.user_id === target.user_id) throw new ApiError('permission_denied', "You can't change your own access level.");
  if (target.level > actor.level) {
    throw new ApiError('permission_denied', 'You can only edit others with level lower or equal to you.');
  }
}

/** Whether `actor` may give somebody `level`. @throws ApiError permission_denied */
export function requireMayGrant(actor: Pick<Standing, 'level'>, level: number | undefined): void {
  if (level === undefined || level <= actor.level) return;
  throw new ApiError('permission_denied', 'You can only change access level of others to lower or equal to your current one.');
}

/** Whether `actor` may end the membership `target`; one's own may be ended by anyone but the last owner. @throws ApiError permission_denied */
export function requireMayRemove(actor: Standing, target: Standing, activeOwners: number): void {
  if (actor.user_id !== target.user_id) requireMayEdit(actor, target);
  else if (target.level >= OWNER && activeOwners <= 1) {
    throw new ApiError(
      'permission_denied',
      'The last owner cannot leave: make another member owner first, or delete the organization.',
    );
  }
}
