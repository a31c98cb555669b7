import { expect, test } from 'vitest';
import type { MembershipLevel } from '../kernel/rights.js';
import { restrictionOf } from './restriction.js';

const ME = 5;
const principal = { userId: ME, userUuid: '', email: '', key: null, currentOrganizationId: null, currentProjectId: null };

test.each([
  // restriction, level in the project, creator, collaborator row: effective restriction, privilege, can_restrict, can_edit
  [21, 1, null, null, 21, 37, false, true],
  [21, 1, 9, 21, 21, 37, false, true],
  [21, 1, ME, null, 21, 37, true, true],
  [21, 8, 9, null, 21, 37, true, true],
  [37, 1, null, null, 37, 21, false, false],
  [37, 1, 9, null, 37, 21, false, false],
  [37, 1, 9, 21, 37, 21, false, false],
  [37, 1, 9, 37, 37, 37, false, true],
  [37, 1, ME, null, 37, 37, true, true],
  [37, 1, ME, 21, 37, 37, true, true],
  [37, 8, 9, null, 37, 37, true, true],
  [37, 15, null, null, 37, 37, true, true],
  [37, 15, 9, 21, 37, 37, true, true],
] as const satisfies readonly [number, MembershipLevel, number | null, number | null, number, number, boolean, boolean][])(
  'spec 2.2 restriction %s, member at %s, created by %s, collaborator at %s: %s %s %s %s',
  (restriction_level, level, created_by, collaborator_level, restriction, privilege, canRestrict, canEdit) => {
    expect(restrictionOf({ principal, level }, { restriction_level, created_by, collaborator_level })).toEqual({
      effective_restriction_level: restriction,
      effective_privilege_level: privilege,
      can_restrict: canRestrict,
      can_edit: canEdit,
    });
  },
);
