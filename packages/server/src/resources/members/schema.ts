import { z } from 'zod';
import { userSchema } from '../../auth/index.js';
import { integerChoice, optional, uuid } from '../../http/fields.js';
import { ADMIN, MEMBER } from '../../kernel/rights.js';

const level = () => optional(integerChoice([MEMBER, ADMIN]));
const user = () => uuid().describe('UUID of the user, who must belong to the organization of the project.');

export const createSchema = z
  .object({
    level: level().describe('1 for a member, 8 for an administrator; 1 if left out.'),
    user_uuid: user(),
  })
  .meta({ example: { level: 1, user_uuid: '0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1' } });

export const patchSchema = z
  .object({ level: level().describe('1 for a member, 8 for an administrator.') })
  .meta({ example: { level: 8 } });

export const putSchema = z
  .object({
    level: level().describe('1 for a member, 8 for an administrator; stays if left out.'),
    user_uuid: uuid().describe('Must be sent; who the member is does not change.'),
  })
  .meta({ example: { level: 8, user_uuid: '0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1' } });

/** A member as responses show it. */
export const memberSchema = z
  .object({
    id: z.uuid().describe('Identifier of the membership.'),
    level: z.int().describe('Level in the project: 1 member, 8 administrator. Takes effect while the project is private.'),
    parent_level: z.int().describe('Level in the organization: 1 member, 8 administrator, 15 owner.'),
    parent_membership_id: z.uuid().describe('Identifier of the membership of the organization.'),
    joined_at: z.iso.datetime().describe('When the user became a member of the project.'),
    updated_at: z.iso.datetime().describe('When the membership was last changed.'),
    user: userSchema.describe('The member.'),
    user_uuid: z.uuid().describe('UUID of the member, as in the path.'),
    effective_level: z.int().describe('The higher of `level` and `parent_level`.'),
  })
  .meta({ id: 'ExplicitMember', description: 'A user who may enter a project while it is private.' });
