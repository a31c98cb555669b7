import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { actionStepSchema } from '../../analytics/index.js';
import { userSchema } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import { bool, dateTime, list, nullable, optional, tagList, text, unsupported } from '../../http/fields.js';
import { pageOf, pageParameters } from '../../http/pagination.js';
import { verbatim } from '../../http/validate.js';
import type { ActionStep } from './store.js';

const MAX_STEPS = 50;

/** The parameter of paths to one action. */
export const actionParams = { id: z.string().describe('Number of the action.') };

export const listQuery = z.object({
  search: optional(text({ max: 400, blank: true })).describe('Only actions with this text in their name or description.'),
  ...pageParameters,
});

const step = verbatim(actionStepSchema, new Set(), {
  type: 'object',
  additionalProperties: true,
  description: `A step: an event matches when all that the step says holds. \`event\`: its name; \`properties\`: a list of filters as queries take them,
of types event, person, group and element; \`url\`: the page (\`$current_url\`), with \`url_matching\` contains (if left out), exact or regex;
\`selector\`, \`tag_name\`, \`text\` and \`href\`: the element, or one around it, with \`text_matching\` and \`href_matching\` exact (if left out),
contains or regex. Only regex looks at the case.`,
}).transform(
  (sent): ActionStep => ({
    event: textOf(sent['event']),
    properties: sent['properties'] ?? [],
    selector: textOf(sent['selector']),
    tag_name: textOf(sent['tag_name']),
    text: textOf(sent['text']),
    text_matching: textOf(sent['text_matching']),
    href: textOf(sent['href']),
    href_matching: textOf(sent['href_matching']),
    url: textOf(sent['url']),
    url_matching: textOf(sent['url_matching']),
  }),
);

const textOf = (value: unknown): string | null => (value === undefined || value === null || value === '' ? null : String(value));

const steps = list(step).superRefine((given, ctx) => {
  if (given.length <= MAX_STEPS) return;
  ctx.addIssue({ code: 'custom', message: `There may be ${MAX_STEPS} steps.`, params: { code: 'invalid_input' } });
});

const NO_SLACK = 'The service posts no messages.';

/** The body of POST, PATCH and PUT. Fields are validated in this order, and the first error is the response. */
export const fieldsSchema = z
  .object({
    name: optional(nullable(text({ max: 400, blank: true }))).describe('Name; no two actions of a project have the same.'),
    description: optional(nullable(text({ max: 10_000, blank: true }))).describe('What people do when it happens.'),
    tags: optional(nullable(tagList)).describe('All its tags; they are trimmed and lower-cased. Null changes nothing.'),
    steps: optional(nullable(steps)).describe('An event matches the action when it matches any of the steps.'),
    pinned_at: optional(nullable(dateTime())).describe(
      'When it was pinned; null: it is not. Pinned actions come first in lists.',
    ),
    post_to_slack: unsupported(NO_SLACK),
    slack_message_format: unsupported(NO_SLACK, ''),
    deleted: optional(bool()).describe('True deletes the action, false restores it.'),
  })
  .meta({
    example: {
      name: 'Signed up',
      steps: [{ event: 'signed_up' }, { event: '$autocapture', tag_name: 'button', text: 'Sign up', url: '/pricing' }],
    },
  });
export type ActionFields = z.output<typeof fieldsSchema>;

const matching = z.enum(['contains', 'exact', 'regex']).nullable();

const stepSchema = z
  .object({
    event: z.string().nullable().describe('Name of the event; null: any.'),
    properties: z.unknown().describe('Filters of the event.'),
    selector: z.string().nullable().describe('Selector of the element.'),
    tag_name: z.string().nullable().describe('Tag of the element.'),
    text: z.string().nullable().describe('Text of the element.'),
    text_matching: matching.describe('How the text is compared; null: exact.'),
    href: z.string().nullable().describe('Where the element links to.'),
    href_matching: matching.describe('How that is compared; null: exact.'),
    url: z.string().nullable().describe('Address of the page.'),
    url_matching: matching.describe('How that is compared; null: contains.'),
  })
  .meta({ id: 'ActionStep', description: 'A step of an action: an event matches when all that it says holds.' });

/** An action as responses show it. */
export const actionSchema = z
  .object({
    id: z.int().describe('Number of the action.'),
    name: z.string().nullable().describe('Name.'),
    description: z.string().describe('What people do when it happens; may be empty.'),
    tags: z.array(z.string()).describe('Its tags.'),
    post_to_slack: z.literal(false).describe('Always false.'),
    slack_message_format: z.literal('').describe('Always empty.'),
    steps: z.array(stepSchema).describe('An event matches the action when it matches any of them.'),
    created_at: timeSchema('When it was made.'),
    created_by: userSchema.nullable().describe('Who made it; null when that user is gone.'),
    deleted: z.boolean().describe('Whether it is deleted; deleted ones can be restored.'),
    is_calculating: z.literal(false).describe('Always false: which events match is looked at by each query.'),
    last_calculated_at: timeSchema('When the action last changed.'),
    team_id: z.int().describe('Number of the project.'),
    is_action: z.literal(true).describe('Always true.'),
    bytecode_error: z.null().describe('Always null.'),
    pinned_at: timeSchema('When it was pinned; null: it is not.').nullable(),
    creation_context: z.null().describe('Always null.'),
    user_access_level: accessFieldsSchema.user_access_level,
  })
  .meta({ id: 'Action', description: 'Events that have a name together.' });

export const actionPage = pageOf(actionSchema);
