import { ADMIN, type MembershipLevel } from '../kernel/rights.js';

/** Restriction 21: everyone in the project can edit. As a privilege: can view. */
export const EVERYONE_EDITS = 21;
/** Restriction 37: only invited collaborators can edit. As a privilege: can edit. */
export const ONLY_COLLABORATORS_EDIT = 37;
export const CAN_VIEW = 21;
export const CAN_EDIT = 37;

export type RestrictionLevel = typeof EVERYONE_EDITS | typeof ONLY_COLLABORATORS_EDIT;
export type PrivilegeLevel = typeof CAN_VIEW | typeof CAN_EDIT;

/** The fields of a dashboard that its restriction depends on. */
export interface Restricted {
  restriction_level: number;
  created_by: number | null;
  /** Level of the user as a collaborator; null: the user is none. */
  collaborator_level: number | null;
}

export interface Restriction {
  effective_restriction_level: RestrictionLevel;
  effective_privilege_level: PrivilegeLevel;
  /** Whether the caller may change the restriction: the creator and administrators of the project may. */
  can_restrict: boolean;
  can_edit: boolean;
}

/** Whom a restriction is about: the caller of a request, or any member of the project. */
export interface RestrictedUser {
  principal: { userId: number };
  /** Effective level in the project. */
  level: MembershipLevel;
}

/** What a dashboard's restriction allows a user. */
export function restrictionOf(context: RestrictedUser, dashboard: Restricted): Restriction {
  const isRestricted = dashboard.restriction_level >= ONLY_COLLABORATORS_EDIT;
  const canRestrict = dashboard.created_by === context.principal.userId || context.level >= ADMIN;
  const canEdit = !isRestricted || canRestrict || (dashboard.collaborator_level ?? CAN_VIEW) >= CAN_EDIT;
  return {
    effective_restriction_level: isRestricted ? ONLY_COLLABORATORS_EDIT : EVERYONE_EDITS,
    effective_privilege_level: canEdit ? CAN_EDIT : CAN_VIEW,
    can_restrict: canRestrict,
    can_edit: canEdit,
  };
}
