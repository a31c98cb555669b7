import { z } from 'zod';
import { userSchema } from '../../auth/index.js';
import { choice, email, integer, nullable, object, optional, secret, text, uuid } from '../../http/fields.js';
import { organizationBasicSchema, organizationSchema } from '../organizations/index.js';
import { projectBasicSchema } from '../projects/index.js';

const firstName = text({ max: 150 }).describe('First name.');
const lastName = optional(text({ max: 150, blank: true })).describe('Last name; may be empty.');
const password = secret().describe('At least 8 characters, and hard to guess.');

export const signupSchema = z
  .object({
    first_name: firstName,
    last_name: lastName,
    email: email().describe('E-mail address, with which the user logs in.'),
    password,
    organization_name: optional(text({ max: 64, blank: true })).describe(
      'Name of the organization; made from the first name if left out.',
    ),
  })
  .meta({
    example: { first_name: 'Ada', email: 'ada@example.com', password: 'correct horse battery staple', organization_name: 'Acme' },
  });

/** Body of an invited person's sign-up; a logged-in user sends none. */
export const inviteSignupSchema = z
  .object({ first_name: firstName, last_name: lastName, password })
  .meta({ example: { first_name: 'Ben', password: 'correct horse battery staple' } });

export const loginSchema = z
  .object({
    email: text({ max: 254 }).describe('E-mail address.').meta({ format: 'email' }),
    password: secret().describe('Password.'),
  })
  .meta({ example: { email: 'ada@example.com', password: 'correct horse battery staple' } });

export const patchMeSchema = z
  .object({
    first_name: optional(firstName).describe('First name.'),
    last_name: lastName,
    email: optional(email()).describe('E-mail address; in a login session only, along with `current_password`.'),
    password: optional(secret()).describe('New password; in a login session only. Ends all other sessions.'),
    current_password: optional(secret()).describe('The password so far, along with a new password or a new e-mail address.'),
    theme_mode: optional(nullable(choice(['light', 'dark', 'system']))).describe(
      'Theme of the pages; null: the default of the system.',
    ),
    hedgehog_config: optional(nullable(object())).describe('Free-form settings of how the user is shown; null clears them.'),
    set_current_organization: optional(uuid()).describe('UUID of the organization to go to.'),
    set_current_team: optional(integer()).describe('Number of the project to go to; its organization comes with it.'),
  })
  .meta({ example: { theme_mode: 'dark', set_current_team: 2 } });

export type UserFields = z.output<typeof patchMeSchema>;

/** The user who has signed up. */
export const welcomeSchema = z.object({
  ...userSchema.shape,
  redirect_url: z.string().describe('Where a browser should go now.'),
});

/** An invite as the invited person sees it. */
export const openInviteSchema = z.object({
  id: z.uuid().describe('Id of the invite.'),
  target_email: z.string().describe('Address of the person, in part.').meta({ example: 'a****a@example.com' }),
  first_name: z.string().describe('First name, as the inviting person knows it.'),
  organization_name: z.string().describe('The organization to join.'),
});

export const loggedInSchema = z.object({ success: z.literal(true).describe('The session cookie is set.') });

/** The caller, as they see themselves. */
export const meSchema = z
  .object({
    ...userSchema.shape,
    date_joined: z.iso.datetime().describe('When the user signed up.'),
    pending_email: z.null().describe('Not in use.'),
    has_password: z.boolean().describe('Whether the user can log in with a password.'),
    is_staff: z.boolean().describe('Not in use: false.'),
    is_impersonated: z.boolean().describe('Not in use: false.'),
    is_2fa_enabled: z.boolean().describe('Not in use: false.'),
    has_social_auth: z.boolean().describe('Not in use: false.'),
    theme_mode: z.enum(['light', 'dark', 'system']).nullable().describe('Theme of the pages; null: the default of the system.'),
    notification_settings: z.record(z.string(), z.unknown()).describe('Not in use.'),
    has_seen_product_intro_for: z.record(z.string(), z.unknown()).describe('Not in use.'),
    team: projectBasicSchema.nullable().describe('The project where the user is.'),
    organization: organizationSchema.nullable().describe('The organization where the user is.'),
    organizations: z.array(organizationBasicSchema).describe('Every organization that the user belongs to.'),
  })
  .meta({ id: 'Me', description: 'The caller’s own account.' });

export const userParams = { user_id: z.string().describe('`@me`, or the UUID of the caller; others cannot be seen here.') };
