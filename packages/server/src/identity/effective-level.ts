import { ADMIN, MEMBER, type MembershipLevel, OWNER } from '../kernel/levels.js';

/** A stored level as one of the levels that exist. */
export function toLevel(stored: number): MembershipLevel {
  if (stored >= OWNER) return OWNER;
  return stored >= ADMIN ? ADMIN : MEMBER;
}

/** What counts for a user's level in a project. Levels are null where there is no membership or rule. */
export interface Grants {
  isPrivate: boolean;
  organizationLevel: number | null;
  /** Of the explicit membership; sleeps while the project is not private. */
  explicitLevel: number | null;
  /** By the project's own access rules: 0 closed, else a membership level. */
  ruleLevel: number | null;
}

/**
 * The level of a user in a project, or null for no access. Private projects are closed to plain members without an explicit
 * membership; the project's rules close it or raise the level further, and never open a private one. Nothing is closed to the
 * organization's administrators.
 */
export function effectiveLevel({ isPrivate, organizationLevel, explicitLevel, ruleLevel }: Grants): MembershipLevel | null {
  if (organizationLevel === null) return null;
  if (organizationLevel >= ADMIN) return toLevel(organizationLevel);
  if (ruleLevel === 0 || (isPrivate && explicitLevel === null)) return null;
  return toLevel(Math.max(organizationLevel, isPrivate ? (explicitLevel ?? 0) : 0, ruleLevel ?? 0));
}
