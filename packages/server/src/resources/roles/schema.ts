import { z } from 'zod';
import { userSchema } from '../../auth/index.js';
import { optional, text, uuid } from '../../http/fields.js';

const name = text({ max: 200 });

/** The parameters of paths. */
export const roleParams = { role_id: z.string().describe('Id of the role.') };
export const roleMembershipParams = {
  ...roleParams,
  role_membership_id: z.string().describe('Id of the membership of the role; not of the user or the member.'),
};

/** Body of a request that creates a role. */
export const createSchema = z
  .object({ name: name.describe('Unique in the organization, whatever the case of its letters.') })
  .meta({ example: { name: 'Support' } });

/** Body of a request that changes a role. */
export const patchSchema = z
  .object({ name: optional(name).describe('Unique in the organization, whatever the case of its letters.') })
  .meta({ example: { name: 'Support' } });

/** Body of a request that assigns a role. */
export const membershipCreateSchema = z
  .object({ user_uuid: uuid().describe('Who gets the role: an active member of the organization.') })
  .meta({ example: { user_uuid: '0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1' } });

/** A membership of a role in responses. */
export const roleMembershipSchema = z
  .object({
    id: z.uuid().describe('Identifier of this membership of the role.'),
    role_id: z.uuid().describe('The role.'),
    organization_member: z.uuid().describe('Membership of the organization, as access rules name it.'),
    user: userSchema.describe('Who has the role.'),
    joined_at: z.iso.datetime().describe('Since when.'),
  })
  .meta({ id: 'RoleMembership', description: 'A role that somebody has.' });

/** A role as responses show it. */
export const roleSchema = z
  .object({
    id: z.uuid().describe('Identifier of the role, as access rules name it.'),
    name: z.string().describe('What the role is called.'),
    created_at: z.iso.datetime().describe('When the role was made.'),
    created_by: userSchema.nullable().describe('Who made it; null when that user is gone.'),
    members: z.array(roleMembershipSchema).describe('Who has it, in the order of joining; deactivated members are left out.'),
  })
  .meta({ id: 'Role', description: 'A named set of members, for access rules.' });
