import { z } from 'zod';
import { timeSchema } from '../../http/dates.js';
import { choice, integer, nullable, object, optional, text } from '../../http/fields.js';
import { pageOf, pageParameters } from '../../http/pagination.js';

export const STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const;
export type Stage = (typeof STAGES)[number];

/** The parameter of paths to one feature. */
export const featureParams = { id: z.string().describe('UUID of the early access feature.') };

/** Query parameters of the list. */
export const listQuery = z.object({ ...pageParameters });

// pages show it as a link, so schemes that run code (`javascript:`) are refused
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
    `How far it is. In alpha and beta the flag is on for people who enroll and off for people who opt out; in concept people can only say that
they want it; general-availability turns the flag on for everybody.`,
  ),
  documentation_url: optional(address).describe('Where people can read about it; http or https.'),
  payload: optional(nullable(object())).describe('Anything that your pages need to show it.'),
  feature_flag_id: optional(nullable(integer())).describe(
    'The flag that decides about it, on create; left out: a new one, whose key is made from the name. Stays as created.',
  ),
};

/** The body of POST. */
export const createSchema = z
  .object({ name: name.describe('What people see.'), ...fields })
  .meta({ example: { name: 'New editor', description: 'Write with others at once.', stage: 'beta' } });
export type NewFields = z.output<typeof createSchema>;

/** The body of PATCH and PUT. */
export const patchSchema = z
  .object({ name: optional(name).describe('What people see.'), ...fields })
  .meta({ example: { stage: 'general-availability' } });
export type ChangeFields = z.output<typeof patchSchema>;

const flagSchema = z
  .object({
    id: z.int().describe('Number of the flag.'),
    team_id: z.int().describe('Number of the project.'),
    name: z.string().describe('What the flag is for.'),
    key: z.string().describe('What code asks for.'),
    filters: z
      .record(z.string(), z.unknown())
      .describe('For whom it is on; `feature_enrollment` while people decide by enrolling.'),
    deleted: z.boolean().describe('Whether the flag is deleted.'),
    active: z.boolean().describe('Whether it is on at all.'),
    ensure_experience_continuity: z.boolean().describe('Whether people keep their value once they are known.'),
    version: z.int().describe('Grows with every change of the flag.'),
  })
  .meta({ id: 'FlagOfEarlyAccessFeature', description: 'The flag that decides about an early access feature.' });

/** An early access feature as responses show it. */
export const featureSchema = z
  .object({
    id: z.uuid().describe('Identifies the feature.'),
    feature_flag: flagSchema.nullable().describe('The flag that decides about it; null when it is gone, or hidden from you.'),
    name: z.string().describe('What people see.'),
    description: z.string().describe('What people get who enroll; may be empty.'),
    stage: z.enum(STAGES).describe('How far it is.'),
    documentation_url: z.string().describe('Where people can read about it; may be empty.'),
    payload: z.record(z.string(), z.unknown()).describe('Anything that pages need to show it.'),
    created_at: timeSchema('When it was made.'),
  })
  .meta({ id: 'EarlyAccessFeature', description: 'Something new that people can try by enrolling.' });

export const featurePage = pageOf(featureSchema);
