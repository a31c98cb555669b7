import { z } from 'zod';
import { choice, email, integer, nullable, object, optional, secret, text, uuid } from '../../http/atoms.js';

const firstName = text({ max: 150 });
const lastName = text({ max: 150, blank: true });

export const signupSchema = z.object({
  first_name: firstName,
  last_name: optional(lastName),
  email: email(),
  password: secret(),
  organization_name: optional(text({ max: 64, blank: true })),
});

/** What an invited person sends; someone who is logged in sends nothing. */
export const inviteSignupSchema = z.object({ first_name: firstName, last_name: optional(lastName), password: secret() });

export const loginSchema = z.object({ email: text({ max: 254 }), password: secret() });

export const userSchema = z.object({
  first_name: optional(firstName),
  last_name: optional(lastName),
  email: optional(email()),
  password: optional(secret()),
  current_password: optional(secret()),
  theme_mode: optional(nullable(choice(['light', 'dark', 'system']))),
  hedgehog_config: optional(nullable(object())),
  set_current_organization: optional(uuid()),
  set_current_team: optional(integer()),
});

export type UserFields = z.output<typeof userSchema>;
