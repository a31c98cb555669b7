import { z } from 'zod';
import { choice, integer, nullable, object, optional, text } from '../../http/fields.js';
import { pageParameters } from '../../http/pagination.js';

export const STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const;
export type Stage = (typeof STAGES)[number];

/** The parameter of paths to one feature. */
export const featureParams = { id: z.string().describe('UUID of the early access feature.') };

export const listQuery = z.object({ ...pageParameters });

// pages show it as a link: what runs code has no place there
const address = nullable(
  text({ max: 800, blank: true })
    .transform((value, ctx) => {
      if (value === '' || (/^https?:\/\//i.test(value) && URL.canParse(value))) return value;
      ctx.addIssue({ code: 'custom', message: 'Enter a valid URL.', params: { code: 'invalid_input' }, input: value });
      return z.NEVER;
    })
    .meta({ format: 'uri' }),
);

const name = text({ max: 200 });
const fields = {
  description: optional(nullable(text({ max: 5000, blank: true }))).describe('What people get who enroll.'),
  stage: optional(choice(STAGES)).describe(
    `How far it is. In alpha and beta the flag is on for those who enroll and off for those who opted out; in concept people can only say that
they want it; general-availability turns the flag on for everybody.`,
  ),
  documentation_url: optional(address).describe('Where people can read about it; http or https.'),
  payload: optional(nullable(object())).describe('Anything that your pages need to show it.'),
  feature_flag_id: optional(nullable(integer())).describe(
    'The flag that decides about it, on create; left out: a new one, whose key is made from the name. Stays as created.',
  ),
};

/** What a feature is made with. */
export const createSchema = z
  .object({ name: name.describe('What people see.'), ...fields })
  .meta({ example: { name: 'New editor', description: 'Write with others at once.', stage: 'beta' } });
export type NewFields = z.output<typeof createSchema>;

/** What may be changed of a feature. */
export const patchSchema = z
  .object({ name: optional(name).describe('What people see.'), ...fields })
  .meta({ example: { stage: 'general-availability' } });
export type ChangeFields = z.output<typeof patchSchema>;
