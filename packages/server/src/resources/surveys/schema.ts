import type { Survey } from '@tidemark/wire';
import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import { bool, choice, dateTime, integer, nullable, object, optional, text } from '../../http/fields.js';
import { pageOf, pageParameters } from '../../http/pagination.js';
import { unsupported } from '../../http/unsupported.js';
import { conditionsSchema } from './conditions-schema.js';
import { QUESTION_TYPES, questionsSchema } from './question-schema.js';

const SURVEY_TYPES = ['popover', 'api'] as const;
const SCHEDULES = ['once', 'recurring', 'always'] as const satisfies Survey['schedule'][];
/** The parameter of paths to one survey. */
export const surveyParams = { id: z.string().describe('UUID of the survey.') };

export const listQuery = z.object({
  search: optional(text({ max: 400, blank: true })).describe('Only surveys with this text in their name or description.'),
  ...pageParameters,
});

const NO_SAMPLING = 'Use responses_limit instead.';

/** A positive integer up to `most`; 0 becomes null. */
const positive = (most: number) =>
  optional(
    nullable(
      integer().transform((value, ctx) => {
        if (value >= 0 && value <= most) return value || null;
        ctx.addIssue({ code: 'custom', message: `A number from 1 to ${most} is required.`, params: { code: 'invalid_input' } });
        return z.NEVER;
      }),
    ),
  );

const flagId = optional(nullable(integer()));
const name = text({ max: 400 }).describe('Name.');
const fields = {
  description: optional(nullable(text({ max: 5000, blank: true }))).describe('What it is for.'),
  conditions: optional(nullable(conditionsSchema)).describe(
    'Whom to show the survey, and where; all given conditions must hold. Null: every visitor.',
  ),
  appearance: optional(nullable(object())).describe(
    'Appearance for clients: `displayIntroScreen`, `introScreenHeader`, `displayThankYouMessage`, `thankYouMessageHeader`, colours and more. Texts are plain text.',
  ),
  linked_flag_id: flagId.describe('A feature flag that must be on for the visitor; null: none.'),
  targeting_flag_id: flagId.describe('A second feature flag that must be on for the visitor; null: none.'),
  targeting_flag_filters: optional(nullable(object()))
    .transform((filters) => (filters && Object.keys(filters).length === 0 ? null : filters))
    .describe(
      'Whom to show the survey, as the `filters` of a flag: the survey gets its own flag, which is changed and deleted with it. Null: everybody.',
    ),
  remove_targeting_flag: optional(nullable(bool())).describe(
    'True removes the targeting flag, and deletes it if it is the survey’s own.',
  ),
  schedule: optional(nullable(choice(SCHEDULES))).describe(
    'When a visitor who answered or dismissed the survey sees it again. `once`: never; `recurring`: in the next iteration; `always`: at each start of the page or app.',
  ),
  iteration_count: positive(500).describe('Of `recurring`: the number of iterations.'),
  iteration_frequency_days: positive(365).describe(
    'Of `recurring`: days from the start of an iteration to the start of the next.',
  ),
  responses_limit: positive(1_000_000_000).describe(
    'Number of stored answers that ends the survey, within about a minute; null: no limit.',
  ),
  enable_partial_responses: optional(nullable(bool())).describe('Whether libraries may send answers before the last question.'),
  response_sampling_start_date: unsupported(NO_SAMPLING),
  response_sampling_interval_type: unsupported(NO_SAMPLING),
  response_sampling_interval: unsupported(NO_SAMPLING),
  response_sampling_limit: unsupported(NO_SAMPLING),
  response_sampling_daily_limits: unsupported(NO_SAMPLING),
  start_date: optional(nullable(dateTime())).describe('When it starts; null: not yet.'),
  end_date: optional(nullable(dateTime())).describe('When it ends; null: not yet.'),
  archived: optional(bool()).describe('Whether it is archived. Archived surveys do not run.'),
};

/** The body of POST. Fields are validated in this order, and the first error is the response. */
export const createSchema = z
  .object({
    name,
    type: optional(choice(SURVEY_TYPES)).describe(
      'Who shows it. `popover` (default): libraries with a user interface; `api`: your application.',
    ),
    questions: questionsSchema.describe('The questions, in order.'),
    ...fields,
  })
  .meta({
    example: {
      name: 'Checkout',
      type: 'api',
      questions: [{ type: 'rating', question: 'How easy was it?', scale: 5 }],
      conditions: { url: '/thanks' },
      start_date: '2026-01-01T00:00:00Z',
    },
  });
export type NewFields = z.output<typeof createSchema>;

/** The body of PATCH and PUT. */
export const patchSchema = z
  .object({
    name: optional(name),
    type: optional(choice(SURVEY_TYPES)).describe('Who shows it.'),
    questions: optional(questionsSchema).describe('All its questions; questions that are left out are deleted.'),
    ...fields,
  })
  .meta({ example: { end_date: '2026-02-01T00:00:00Z' } });
export type ChangeFields = z.output<typeof patchSchema>;

const anyObject = z.record(z.string(), z.unknown());

const flagSchema = z
  .object({
    id: z.int().describe('Number of the flag.'),
    key: z.string().describe('Key, by which clients evaluate it.'),
    name: z.string().describe('What the flag is for.'),
    active: z.boolean().describe('Whether it is active.'),
    deleted: z.boolean().describe('Whether it is deleted; the survey is not shown then.'),
    filters: anyObject.describe('Whom it is on for.'),
  })
  .meta({ id: 'FlagOfSurvey', description: 'A flag that must be on for the visitor.' });

const questionSchema = z
  .looseObject({
    id: z.string().describe('Part of the name of the property that holds the answer: `$survey_response_<id>`.'),
    type: z.enum(QUESTION_TYPES).describe('What kind of answer it takes.'),
    question: z.string().describe('Text of the question.'),
  })
  .meta({ id: 'SurveyQuestion', description: 'A question of a survey.' });

/** A survey as responses show it. */
export const surveySchema = z
  .object({
    id: z.uuid().describe('UUID of the survey.'),
    name: z.string().describe('Name.'),
    description: z.string().describe('What it is for; may be empty.'),
    type: z.enum(SURVEY_TYPES).describe('Who shows it.'),
    questions: z.array(questionSchema).describe('The questions, in order.'),
    conditions: anyObject.nullable().describe('Whom to show the survey, and where; null: every visitor.'),
    appearance: anyObject.nullable().describe('Appearance for clients.'),
    linked_flag_id: z.int().nullable().describe('Number of the linked flag.'),
    linked_flag: flagSchema.nullable().describe('The linked flag; null too when access rules hide it from you.'),
    targeting_flag_id: z.int().nullable().describe('Number of the targeting flag.'),
    targeting_flag: flagSchema.nullable().describe('The targeting flag; null too when access rules hide it from you.'),
    targeting_flag_filters: anyObject
      .nullable()
      .describe('Filters of the survey’s own targeting flag; null without one, and when access rules hide it from you.'),
    internal_targeting_flag: z.null().describe('Always null: the libraries store who has answered.'),
    schedule: z.enum(SCHEDULES).describe('When a visitor sees the survey again.'),
    iteration_count: z.int().nullable().describe('Of a recurring survey: the number of iterations.'),
    iteration_frequency_days: z
      .int()
      .nullable()
      .describe('Of a recurring survey: days from the start of an iteration to the start of the next.'),
    iteration_start_dates: z.array(timeSchema('When an iteration begins.')).nullable().describe('When the iterations begin.'),
    current_iteration: z.int().nullable().describe('Number of the current iteration, from 1.'),
    current_iteration_start_date: timeSchema('When the current iteration began.').nullable(),
    responses_limit: z.int().nullable().describe('Number of stored answers that ends the survey.'),
    enable_partial_responses: z.boolean().describe('Whether libraries may send answers before the last question.'),
    feature_flag_keys: z
      .array(
        z.object({
          key: z.string().describe('Which flag: `linked_flag_key` or `targeting_flag_key`.'),
          value: z.string().nullable().describe('Key of the flag.'),
        }),
      )
      .describe('The flags that must be on.'),
    start_date: timeSchema('When it starts.').nullable(),
    end_date: timeSchema('When it ends.').nullable(),
    archived: z.boolean().describe('Whether it is archived.'),
    created_by: userSchema.nullable().describe('Who created it; null when that user is deleted.'),
    created_at: timeSchema('When it was created.'),
    user_access_level: accessFieldsSchema.user_access_level,
  })
  .meta({ id: 'Survey', description: 'Questions to the people who use pages and apps.' });

export const surveyPage = pageOf(surveySchema);
