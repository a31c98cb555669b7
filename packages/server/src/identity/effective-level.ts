import { ADMIN, MEMBER, type MembershipLevel, OWNER } from '../kernel/levels.js';

/** A stored level as one of the levels that exist. */
export function toLevel(stored: number): MembershipLevel {
  if (stored >= OWNER) return OWNER;
  return stored >= ADMIN ? ADMIN : MEMBER;
}

/**
 * The level of a user in a project, or null for no access: the organization's level, raised by an explicit membership of a
 * private project. Private projects are closed to plain members without one.
 */
export function effectiveLevel(
  isPrivate: boolean,
  organizationLevel: number | null,
  explicitLevel: number | null,
): MembershipLevel | null {
  if (organizationLevel === null) return null;
  if (!isPrivate) return toLevel(organizationLevel);
  if (explicitLevel !== null) return toLevel(Math.max(explicitLevel, organizationLevel));
  return organizationLevel >= ADMIN ? toLevel(organizationLevel) : null;
}
