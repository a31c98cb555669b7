import { z } from 'zod';
import { EVERYONE_EDITS, LEVEL_REASONS, ONLY_COLLABORATORS_EDIT } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { bool, integerChoice, optional, uuid } from '../../http/fields.js';

/** What may be asked about every kind of object. */
const linkChange = {
  enabled: optional(bool()).describe('Whether the public page would be open.'),
  password_required: optional(bool()).describe('Whether visitors would have to give a password.'),
};

/** Query parameters: a change that is thought of. What is left out stays as it is. */
export const audienceQuery = z.object(linkChange);

/** As {@link audienceQuery}, for dashboards, which have collaborators. */
export const dashboardAudienceQuery = z.object({
  ...linkChange,
  collaborator: optional(uuid()).describe('UUID of a user who would become a collaborator that may edit.'),
  restriction_level: optional(integerChoice([EVERYONE_EDITS, ONLY_COLLABORATORS_EDIT])).describe(
    'Who would edit: 21 everyone in the project, 37 collaborators alone.',
  ),
});
export type AudienceChange = z.output<typeof dashboardAudienceQuery>;

/** Who sees the public page. */
export const LINK_STATES = ['off', 'password', 'anyone'] as const;

/** Why a member sees an object. */
export const AUDIENCE_REASONS = [...LEVEL_REASONS, 'explicit_member', 'collaborator'] as const;

const state = z.object({
  visible_to: z.int().describe('How many members of the organization see it.'),
  editable_by: z.int().describe('How many of them may change it and how it is shared.'),
  link: z
    .enum(LINK_STATES)
    .describe('Who else sees it: nobody (`off`), who has the link and a password, or anyone who has the link.'),
});

const reason = z.enum(AUDIENCE_REASONS);

/** Who sees an object, and who would after a change. */
export const audienceSchema = z
  .object({
    now: state.describe('As it is.'),
    after: state.describe('As it would be after the change of the query parameters; without any, as it is.'),
    organization_members: z.int().describe('How many active members the organization has, whether or not they see it.'),
    is_link_allowed: z.boolean().describe('Whether the organization allows public pages at all.'),
    passwords: z.int().describe('How many passwords open the public page when it asks for one.'),
    reasons: z
      .array(z.object({ reason: reason.describe('The reason.'), count: z.int().describe('How many members have it.') }))
      .describe('The reasons of all members who see it; one member may have several.'),
    members: z
      .array(
        z.object({
          user: userSchema.describe('The member.'),
          user_access_level: z.enum(['viewer', 'editor', 'manager']).describe('Level by the access rules.'),
          can_edit: z.boolean().describe('Whether they may change it and how it is shared.'),
          can_edit_after: z.boolean().describe('Whether they would, after the change of the query parameters.'),
          reasons: z
            .array(reason)
            .describe(
              'Why they see it: as an administrator of the organization, its creator, by an access rule for them, for one of their roles or for everybody, or as no rule says otherwise (`default_level`); as an explicit member of a private project; a `collaborator` may edit it while it is restricted.',
            ),
          roles: z.array(z.string()).describe('The roles by whose rule they see it.'),
        }),
      )
      .describe('The members who see it, by name, at most 200.'),
  })
  .meta({ id: 'Audience', description: 'Who sees a dashboard, an insight or a recording, and who would after a change.' });
