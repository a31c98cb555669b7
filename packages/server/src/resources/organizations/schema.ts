import { z } from 'zod';
import { userSchema } from '../../auth/index.js';
import { always, bool, email, integer, integerChoice, list, nullable, optional, text } from '../../http/fields.js';
import { pageOf } from '../../http/pagination.js';
import { ADMIN, MEMBER, OWNER } from '../../kernel/rights.js';
import { projectBasicSchema } from '../projects/index.js';

const name = text({ max: 64 }).describe('Name of the organization.');
const keysOfMembers = always(true, 'Keys of members always work.');

export const createSchema = z
  .object({
    name,
    allow_publicly_shared_resources: always(true, 'Change it once the organization is made.'),
    members_can_use_personal_api_keys: keysOfMembers,
  })
  .meta({ example: { name: 'Acme' } });
export const patchSchema = z
  .object({
    name: optional(name).describe('Name of the organization.'),
    allow_publicly_shared_resources: optional(bool()).describe('Whether dashboards and insights may be shared with the public.'),
    members_can_use_personal_api_keys: keysOfMembers,
  })
  .meta({ example: { allow_publicly_shared_resources: false } });

const LEVELS = 'Level: 1 member, 8 administrator, 15 owner.';
const level = optional(integerChoice([MEMBER, ADMIN, OWNER])).describe(LEVELS);
export const memberSchema = z
  .object({
    level,
    is_active: optional(bool()).describe('Whether the member may use the organization.'),
  })
  .meta({ example: { level: 8 } });

const projectAccess = z.object({
  id: integer().describe('Number of the project.'),
  level: integerChoice([MEMBER, ADMIN]).describe('Level in it: 1 member, 8 administrator.'),
});

const invite = { target_email: 'ben@example.com', first_name: 'Ben', level: 1 };
export const inviteSchema = z
  .object({
    target_email: email().describe('Address of the person; they join with it.'),
    first_name: optional(text({ max: 30, blank: true })).describe('First name, which the person may change.'),
    level,
    message: optional(nullable(text({ max: 10_000, blank: true }))).describe('Words to the person.'),
    private_project_access: optional(nullable(list(projectAccess))).describe(
      'Private projects that the person becomes an explicit member of.',
    ),
  })
  .meta({ example: invite });
export const bulkSchema = list(inviteSchema).meta({ example: [invite] });

export type InviteFields = z.output<typeof inviteSchema>;

const shownLevel = z.literal([MEMBER, ADMIN, OWNER]).describe(LEVELS);

/** An organization as other resources show it to a member. */
const basic = {
  id: z.uuid().describe('UUID of the organization.'),
  name: z.string().describe('Name of the organization.'),
  slug: z.string().describe('The name as it can stand in an address; unique.'),
  logo_media_id: z.null().describe('Not in use.'),
  membership_level: shownLevel.describe('Level of the caller: 1 member, 8 administrator, 15 owner.'),
  members_can_use_personal_api_keys: z.boolean().describe('Whether keys of members below administrator work.'),
};

export const organizationBasicSchema = z
  .object(basic)
  .meta({ id: 'OrganizationBasic', description: 'An organization, inside other objects.' });

const projectName = z.object({
  id: z.int().describe('Number of the project.'),
  organization_id: z.uuid().describe('UUID of the organization.'),
  name: z.string().describe('Name of the project.'),
});

/** An organization in full. */
export const organizationSchema = z
  .object({
    ...basic,
    created_at: z.iso.datetime().describe('When the organization was made.'),
    updated_at: z.iso.datetime().describe('When the organization was last changed.'),
    teams: z.array(projectBasicSchema).describe('The projects that the caller may see.'),
    projects: z.array(projectName).describe('The names of the same projects.'),
    available_product_features: z.array(z.unknown()).describe('Empty: everything is there for everybody.'),
    allow_publicly_shared_resources: z.boolean().describe('Whether dashboards and insights may be shared with the public.'),
    metadata: z.record(z.string(), z.unknown()).describe('Not in use.'),
  })
  .meta({ id: 'Organization', description: 'What projects and members belong to.' });

export const organizationPage = pageOf(organizationSchema);

/** A member of an organization. */
export const shownMemberSchema = z
  .object({
    id: z.uuid().describe('UUID of the membership.'),
    user: userSchema.describe('The member.'),
    level: shownLevel,
    joined_at: z.iso.datetime().describe('When the user joined.'),
    updated_at: z.iso.datetime().describe('When the membership was last changed.'),
    is_2fa_enabled: z.boolean().describe('Not in use: false.'),
    has_social_auth: z.boolean().describe('Not in use: false.'),
    last_login: z.iso.datetime().nullable().describe('When the user last logged in; null: never.'),
    is_active: z.boolean().describe('Whether the member may use the organization.'),
  })
  .meta({ id: 'OrganizationMember', description: 'A member of an organization.' });

export const memberPage = pageOf(shownMemberSchema);

/** An invite into an organization. */
export const shownInviteSchema = z
  .object({
    id: z.uuid().describe('Identifies the invite. Who knows it can accept.'),
    target_email: z.string().describe('Address of the person.').meta({ format: 'email' }),
    first_name: z.string().describe('First name of the person; may be empty.'),
    emailing_attempt_made: z.boolean().describe('Whether the invite was sent by e-mail: false, pass it on yourself.'),
    level: shownLevel,
    is_expired: z.boolean().describe('Whether it is older than three days and no longer accepted.'),
    created_by: userSchema.nullable().describe('Who invited.'),
    created_at: z.iso.datetime().describe('When the invite was made.'),
    updated_at: z.iso.datetime().describe('When the invite was last changed.'),
    message: z.string().nullable().describe('Words to the person.'),
    private_project_access: z
      .array(z.object({ id: z.int().describe('Number of the project.'), level: z.int().describe('Level in it.') }))
      .describe('Private projects that the person becomes an explicit member of.'),
  })
  .meta({ id: 'Invite', description: 'A pending invite into an organization.' });

export const invitePage = pageOf(shownInviteSchema);
export const inviteListSchema = z.array(shownInviteSchema);

export const memberParams = { user_uuid: z.string().describe('UUID of the user; `@me` for the caller.') };
export const inviteParams = { invite_id: z.string().describe('Id of the invite.') };
