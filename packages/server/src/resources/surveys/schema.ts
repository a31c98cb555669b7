import type { Survey, SurveyConditions, SurveyQuestionType, SurveyUrlMatch } from '@tidemark/wire';
import { z } from 'zod';
import { bool, choice, dateTime, integer, integerChoice, list, nullable, object, optional, text } from '../../http/fields.js';
import { pageParameters } from '../../http/pagination.js';
import { unsupported } from '../../http/unsupported.js';
import type { ErrorCode } from '../../kernel/errors.js';

export const SURVEY_TYPES = ['popover', 'api'] as const;
export const QUESTION_TYPES = [
  'open',
  'link',
  'rating',
  'single_choice',
  'multiple_choice',
] as const satisfies SurveyQuestionType[];
export const SCHEDULES = ['once', 'recurring', 'always'] as const satisfies Survey['schedule'][];
export const URL_MATCHES = [
  'exact',
  'is_not',
  'icontains',
  'not_icontains',
  'regex',
  'not_regex',
] as const satisfies SurveyUrlMatch[];

/** The parameter of paths to one survey. */
export const surveyParams = { id: z.string().describe('UUID of the survey.') };

export const listQuery = z.object({
  search: optional(text({ max: 400, blank: true })).describe('Only those with this text in name or description.'),
  ...pageParameters,
});

const NO_SAMPLING = 'Use responses_limit instead.';

const words = (max: number) => optional(nullable(text({ max, blank: true })));
const choiceOf = () => optional(nullable(bool()));

function refuse(ctx: z.core.$RefinementCtx<unknown>, path: string, message: string, code: ErrorCode = 'invalid_input'): void {
  ctx.addIssue({ code: 'custom', message, params: { code }, path: [path] });
}

const question = z
  .looseObject(
    {
      id: optional(text({ max: 100 })).describe(
        'Part of the name of the property that holds the answer; made if left out. Keep it when you change the question.',
      ),
      type: choice(QUESTION_TYPES).describe('What kind of answer it takes.'),
      question: text({ max: 1000 }).describe('Text of the question.'),
      description: words(5000).describe('More about it, as plain text.'),
      optional: choiceOf().describe('Whether it may be left without an answer.'),
      buttonText: words(200).describe('What the button says that sends the answer.'),
      link: words(2000).describe('Of `link`: where it leads; https, http or mailto.'),
      display: optional(nullable(choice(['number', 'emoji']))).describe('Of `rating`: its display; default `number`.'),
      scale: optional(nullable(integerChoice([2, 3, 5, 7, 10]))).describe('Of `rating`: the highest answer; 5 if left out.'),
      lowerBoundLabel: words(200).describe('Of `rating`: what the lowest answer means.'),
      upperBoundLabel: words(200).describe('Of `rating`: what the highest answer means.'),
      choices: optional(nullable(list(text({ max: 500 })))).describe('Of `single_choice` and `multiple_choice`.'),
      hasOpenChoice: choiceOf().describe('Whether the last choice is a text of one’s own.'),
      shuffleOptions: choiceOf().describe('Whether each person gets the choices in another order.'),
      skipSubmitButton: choiceOf().describe('Whether a choice is sent without a button.'),
      branching: optional(nullable(object())).describe('The next question by answer; stored for clients that support it.'),
    },
    'Expected a question: an object with type and question.',
  )
  .superRefine(({ type, choices, link }, ctx) => {
    if (type.endsWith('_choice') && !choices?.length) refuse(ctx, 'choices', 'This question needs choices.', 'required');
    // clients open it: what runs code has no place there
    if (link && !/^(https?:\/\/|mailto:)/i.test(link)) refuse(ctx, 'link', 'Enter a valid URL.');
  })
  .meta({ additionalProperties: true });
export type NewQuestion = z.output<typeof question>;

const questions = list(question).superRefine((all, ctx) => {
  const ids = all.flatMap(({ id }) => id ?? []);
  const problem =
    all.length === 0
      ? 'A survey needs at least one question.'
      : all.length > 100
        ? 'A survey has at most 100 questions.'
        : new Set(ids).size < ids.length && 'Each question needs an id of its own.';
  if (problem) ctx.addIssue({ code: 'custom', message: problem, params: { code: 'invalid_input' } });
});

const CONDITIONS = {
  url: words(2000).describe('An address, or a part or a pattern of one; on React Native such surveys are not shown.'),
  urlMatchType: optional(nullable(choice(URL_MATCHES))).describe('How the address is compared; `icontains` if left out.'),
  selector: words(1000).describe('CSS selector of an element that must be on the page.'),
  deviceTypes: optional(nullable(list(text({ max: 100 })))).describe(
    'Types of device, such as `Desktop`, `Mobile` and `Tablet`: one of them must be that of the device.',
  ),
  deviceTypesMatchType: optional(nullable(choice(URL_MATCHES))).describe('How they are compared; `icontains` if left out.'),
  seenSurveyWaitPeriodInDays: optional(nullable(integer())).describe('Days since somebody was shown any survey.'),
  linkedFlagVariant: words(400).describe('Variant of the linked flag; `any`: each.'),
  events: optional(
    nullable(
      z.object(
        {
          values: list(
            z.object({ name: text({ max: 200 }).describe('Name of the event.') }, 'Expected an event: { name }.'),
          ).describe('The events.'),
          repeatedActivation: choiceOf().describe('Whether each such event brings the survey again.'),
        },
        'Expected { values }.',
      ),
    ),
  ).describe('One of these events must have happened.'),
};

/** A condition that clients do not know would leave the survey to everybody; empty ones say nothing. */
const conditions = z
  .looseObject(CONDITIONS, 'Not a valid object.')
  .superRefine((given, ctx) => {
    for (const [name, value] of Object.entries(given)) {
      if (!(name in CONDITIONS) && !isEmpty(value)) refuse(ctx, name, 'There is no such condition.');
    }
    if (given.url && given.urlMatchType?.endsWith('regex') && !isPattern(given.url)) {
      refuse(ctx, 'url', 'Not a valid regular expression.');
    }
    if (given.deviceTypesMatchType?.endsWith('regex') && !given.deviceTypes?.every(isPattern)) {
      refuse(ctx, 'deviceTypes', 'Not a valid regular expression.');
    }
    if ((given.seenSurveyWaitPeriodInDays ?? 0) < 0) {
      refuse(ctx, 'seenSurveyWaitPeriodInDays', 'Ensure this value is greater than or equal to 0.');
    }
  })
  .transform(
    ({ url, urlMatchType, deviceTypes, deviceTypesMatchType, selector, ...rest }): SurveyConditions => ({
      ...(url ? { url, urlMatchType: urlMatchType ?? 'icontains' } : {}),
      ...(deviceTypes?.length ? { deviceTypes, deviceTypesMatchType: deviceTypesMatchType ?? 'icontains' } : {}),
      ...(selector ? { selector } : {}),
      ...(rest.seenSurveyWaitPeriodInDays ? { seenSurveyWaitPeriodInDays: rest.seenSurveyWaitPeriodInDays } : {}),
      ...(rest.linkedFlagVariant ? { linkedFlagVariant: rest.linkedFlagVariant } : {}),
      ...(rest.events?.values.length
        ? { events: { ...rest.events, repeatedActivation: rest.events.repeatedActivation ?? false } }
        : {}),
    }),
  )
  .meta({ additionalProperties: false });

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || value === null || value === '';
  return Object.values(Object.hasOwn(value, 'values') ? Object(Reflect.get(value, 'values')) : value).length === 0;
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}

/** A positive whole number up to `most`; null or 0: none. */
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
const name = text({ max: 400 }).describe('What you call it.');
const fields = {
  description: optional(nullable(text({ max: 5000, blank: true }))).describe('What it is for.'),
  conditions: optional(nullable(conditions)).describe(
    'Whom to ask, and where; all given conditions must hold. Null: every visitor.',
  ),
  appearance: optional(nullable(object())).describe(
    'Appearance for clients: `displayIntroScreen`, `introScreenHeader`, `displayThankYouMessage`, `thankYouMessageHeader`, colours and more. Texts are plain text.',
  ),
  linked_flag_id: flagId.describe('A feature flag that must be on for the visitor; null: none.'),
  targeting_flag_id: flagId.describe('Another one that must be on, such as one made for this survey; null: none.'),
  targeting_flag_filters: optional(nullable(object()))
    .transform((filters) => (filters && Object.keys(filters).length === 0 ? null : filters))
    .describe(
      'Whom to ask, as the `filters` of a flag say it: the survey gets a flag of its own, which changes and goes with it. Null: everybody.',
    ),
  remove_targeting_flag: optional(nullable(bool())).describe(
    'True: the targeting flag is taken off, and deleted if it is of the survey.',
  ),
  schedule: optional(nullable(choice(SCHEDULES))).describe(
    '`once`: a visitor is not asked again after an answer or a dismissal; `recurring`: once in each iteration; `always`: at each start.',
  ),
  iteration_count: positive(500).describe('Of `recurring`: how many iterations there are.'),
  iteration_frequency_days: positive(365).describe('Of `recurring`: days from the start of an iteration to the next.'),
  responses_limit: positive(1_000_000_000).describe(
    'The survey ends, within about a minute, when so many answers are stored; null: no limit.',
  ),
  enable_partial_responses: optional(nullable(bool())).describe('Whether libraries may send answers before the last question.'),
  response_sampling_start_date: unsupported(NO_SAMPLING),
  response_sampling_interval_type: unsupported(NO_SAMPLING),
  response_sampling_interval: unsupported(NO_SAMPLING),
  response_sampling_limit: unsupported(NO_SAMPLING),
  response_sampling_daily_limits: unsupported(NO_SAMPLING),
  start_date: optional(nullable(dateTime())).describe('From when it runs; null: it does not yet.'),
  end_date: optional(nullable(dateTime())).describe('Until when it runs; null: until further notice.'),
  archived: optional(bool()).describe('Whether it is put away, and does not run.'),
};

/** What a survey is made with. The order of the fields is that of their refusals. */
export const createSchema = z
  .object({
    name,
    type: optional(choice(SURVEY_TYPES)).describe(
      '`api`: your application shows it; `popover`, as without it: so do libraries that have an interface of their own.',
    ),
    questions: questions.describe('The questions, in order.'),
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

/** What may be changed of a survey. */
export const patchSchema = z
  .object({
    name: optional(name),
    type: optional(choice(SURVEY_TYPES)).describe('Who shows it.'),
    questions: optional(questions).describe('All of its questions; what is left out is gone.'),
    ...fields,
  })
  .meta({ example: { end_date: '2026-02-01T00:00:00Z' } });
export type ChangeFields = z.output<typeof patchSchema>;
