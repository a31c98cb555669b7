import { ADMIN, MEMBER, type MembershipLevel, OWNER } from '../kernel/rights.js';

/** A stored level as one of the levels that exist. */
export function toLevel(stored: number): MembershipLevel {
  if (stored >= OWNER) return OWNER;
  return stored >= ADMIN ? ADMIN : MEMBER;
}

/** What counts for a user's level in a project. Levels are null where there is no membership or rule. */
export interface Grants {
  /** Whether the project is private. */
  access_control: boolean;
  organization_level: number | null;
  /** Of the explicit membership; sleeps while the project is not private. */
  explicit_level: number | null;
  /** By the project's own access rules: 0 closed, else a membership level. */
  rule_level: number | null;
}

/**
 * The level of a user in a project, or null for no access. Private projects are closed to plain members without an explicit
 * membership; the project's rules close it or raise the level further, and never open a private one. Nothing is closed to the
 * organization's administrators.
 */
export function effectiveLevel(grants: Grants): MembershipLevel | null {
  const { access_control: isPrivate, organization_level: own, explicit_level: explicit, rule_level: rule } = grants;
  if (own === null) return null;
  if (own >= ADMIN) return toLevel(own);
  if (rule === 0 || (isPrivate && explicit === null)) return null;
  return toLevel(Math.max(own, isPrivate ? (explicit ?? 0) : 0, rule ?? 0));
}
