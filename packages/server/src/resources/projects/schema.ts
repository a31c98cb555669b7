import { z } from 'zod';
import { bool, optional, text } from '../../http/fields.js';
import { pageOf } from '../../http/pagination.js';
import { ADMIN, MEMBER, OWNER } from '../../kernel/rights.js';
import { settingsSchema, shownSettings } from './settings.js';

const refuse = (context: z.core.$RefinementCtx<unknown>, code: string, message: string): never => {
  context.addIssue({ code: 'custom', message, params: { code }, input: context.value });
  return z.NEVER;
};

const timezone = text({ max: 240 })
  .transform((name, context) => (isTimezone(name) ? name : refuse(context, 'invalid_choice', `"${name}" is not a valid choice.`)))
  .meta({ example: 'Europe/Berlin' });

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
  timezone: optional(timezone).describe('IANA name of the time zone in which days begin and end.'),
  access_control: optional(bool()).describe('Whether the project is private: closed to members without explicit membership.'),
  anonymize_ips: optional(bool()).describe('Whether the addresses that events come from are thrown away.'),
  ...settingsSchema.shape,
};

const name = optional(text({ max: 200 })).describe('Name of the project.');

/** Body of a request that creates a project. */
export const createSchema = z
  .object({
    name,
    api_token: optional(ownToken).describe(
      'Project API key of your own choice, such as one that is in your pages already; made if left out.',
    ),
    ...shared,
  })
  .meta({ example: { name: 'Shop', timezone: 'Europe/Berlin' } });

/** Body of a request that changes a project. */
export const patchSchema = z.object({ name, ...shared }).meta({ example: { session_recording_opt_in: true } });

export type ProjectFields = z.output<typeof createSchema>;

const level = z.literal([MEMBER, ADMIN, OWNER]);

/** A project as lists and other resources show it. */
const basic = {
  id: z.int().describe('Number of the project.'),
  uuid: z.uuid().describe('UUID of the project.'),
  organization: z.uuid().describe('UUID of the organization that the project belongs to.'),
  api_token: z.string().describe('Project API key: public, goes into pages and apps.'),
  name: z.string().describe('Name of the project.'),
  completed_snippet_onboarding: shownSettings.completed_snippet_onboarding,
  has_completed_onboarding_for: shownSettings.has_completed_onboarding_for,
  ingested_event: z.boolean().describe('Whether an event has come in.'),
  is_demo: z.boolean().describe('Whether the project holds sample data.'),
  timezone: z.string().describe('IANA name of the time zone in which days begin and end.'),
  access_control: z.boolean().describe('Whether the project is private.'),
};

export const projectBasicSchema = z.object(basic).meta({ id: 'ProjectBasic', description: 'A project, in lists.' });

const groupType = z.object({
  group_type: z.string().describe('Name under which events carry groups of the type.'),
  group_type_index: z.int().describe('Number of the type, 0 to 4.'),
  name_singular: z.string().nullable().describe('What one is called; null: as the type.'),
  name_plural: z.string().nullable().describe('What several are called; null: as the type.'),
  created_at: z.iso.datetime().nullable().describe('When the first group of the type came.'),
  detail_dashboard: z.int().nullable().describe('Number of the dashboard shown with a group.'),
  default_columns: z.array(z.string()).nullable().describe('Columns of the list of groups.'),
});

/** A project in full. */
export const projectSchema = z
  .object({
    ...basic,
    ...shownSettings,
    project_id: z.int().describe('The same as `id`.'),
    anonymize_ips: z.boolean().describe('Whether the addresses that events come from are thrown away.'),
    created_at: z.iso.datetime().describe('When the project was made.'),
    updated_at: z.iso.datetime().describe('When the project was last changed.'),
    effective_membership_level: level.describe('Level of the caller in the project: 1 member, 8 administrator, 15 owner.'),
    user_access_level: z.enum(['member', 'admin']).describe('The same level as the access rules of projects name it.'),
    has_group_types: z.boolean().describe('Whether groups have come in.'),
    group_types: z.array(groupType).describe('The types of groups, by number.'),
    live_events_token: z.null().describe('Not in use.'),
  })
  .meta({ id: 'Project', description: 'A project, also called an environment: what events are sent to.' });

export const projectPage = pageOf(projectBasicSchema);

const CANONICAL: ReadonlySet<string> = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
const LOWER_CASE: ReadonlySet<string> = new Set([...CANONICAL].map((name) => name.toLowerCase()));

/** Whether a text is the name of an IANA time zone, in the database's own spelling (the event store is strict about case). */
function isTimezone(name: string): boolean {
  if (CANONICAL.has(name)) return true;
  // aliases such as US/Pacific are not listed by the runtime, only accepted
  if (LOWER_CASE.has(name.toLowerCase()) || !/^[A-Z][\w+-]*(?:\/[A-Z][\w+-]*)*$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
