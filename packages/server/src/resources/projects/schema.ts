import { z } from 'zod';
import { bool, optional, text } from '../../http/atoms.js';
import { settingsSchema } from './settings.js';
import { isTimezone } from './timezone.js';

const refuse = (context: z.core.$RefinementCtx<unknown>, code: string, message: string): never => {
  context.addIssue({ code: 'custom', message, params: { code }, input: context.value });
  return z.NEVER;
};

const timezone = text({ max: 240 }).transform((name, context) =>
  isTimezone(name) ? name : refuse(context, 'invalid_choice', `"${name}" is not a valid choice.`),
);

const ownToken = text({ max: 64 }).transform((token, context) => {
  if (!/^[\x21-\x7e]+$/.test(token)) return refuse(context, 'invalid_input', 'Only visible ASCII characters are allowed.');
  if (/^(tms_|phx_)/.test(token)) {
    return refuse(
      context,
      'invalid_input',
      'This looks like a secret personal API key. A project key is public: choose another.',
    );
  }
  return token;
});

const shared = {
  timezone: optional(timezone),
  access_control: optional(bool()),
  anonymize_ips: optional(bool()),
  ...settingsSchema.shape,
};

const name = text({ max: 200 });

/** What a project is created with. */
export const createSchema = z.object({ name: optional(name), api_token: optional(ownToken), ...shared });

/** What may be changed of a project. */
export const patchSchema = z.object({ name: optional(name), ...shared });

export type ProjectFields = z.output<typeof createSchema>;
