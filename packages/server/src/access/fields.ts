import { z } from 'zod';
import type { ProjectContext } from '../auth/index.js';
import type { Access } from './access.js';
import { ACCESS_LEVELS, type AccessLevel, reaches } from './levels.js';
import {
  CAN_EDIT,
  CAN_VIEW,
  ONLY_COLLABORATORS_EDIT,
  type PrivilegeLevel,
  type Restricted,
  type RestrictionLevel,
  restrictionOf,
} from './restriction.js';

/** The four fields of responses about the caller's access. */
export interface AccessFields {
  restriction_level: number;
  effective_restriction_level: RestrictionLevel;
  effective_privilege_level: PrivilegeLevel;
  user_access_level: AccessLevel;
}

/** The four fields of an object for the caller. */
export function accessFields(
  context: Pick<ProjectContext, 'principal' | 'level'>,
  access: Access,
  object: Restricted & { id: number },
): AccessFields {
  const { effective_restriction_level, can_edit } = restrictionOf(context, object);
  const user_access_level = access.levelOn(object);
  // on a dashboard that is not restricted the access rules decide
  const isEditor = effective_restriction_level === ONLY_COLLABORATORS_EDIT || reaches(user_access_level, 'editor');
  return {
    restriction_level: object.restriction_level,
    effective_restriction_level,
    effective_privilege_level: can_edit && isEditor ? CAN_EDIT : CAN_VIEW,
    user_access_level,
  };
}

const level = z.union([z.literal(21), z.literal(37)]);

/** The four fields, for response schemas. */
export const accessFieldsSchema = {
  restriction_level: level.describe(
    'Who can edit: 21 everyone in the project, 37 only its creator, administrators and collaborators.',
  ),
  effective_restriction_level: level.describe('The restriction that is in force.'),
  effective_privilege_level: level.describe('What the restriction and the access rules leave to you: 21 can view, 37 can edit.'),
  user_access_level: z
    .enum(ACCESS_LEVELS)
    .describe('Your level by the access rules: creators and organization administrators are managers.'),
};
