import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { pageOf } from '../../http/pagination.js';
import { QUESTION_TYPES, SCHEDULES, SURVEY_TYPES } from './schema.js';

const time = (description: string) => z.string().describe(description).meta({ format: 'date-time' });
const anyObject = z.record(z.string(), z.unknown());

const flagSchema = z
  .object({
    id: z.int().describe('Number of the flag.'),
    key: z.string().describe('What clients ask for.'),
    name: z.string().describe('What the flag is for.'),
    active: z.boolean().describe('Whether it is on at all.'),
    deleted: z.boolean().describe('Whether it is deleted; a deleted survey is not shown.'),
    filters: anyObject.describe('For whom it is on.'),
  })
  .meta({ id: 'FlagOfSurvey', description: 'A flag that must be on for whom a survey asks.' });

const questionSchema = z
  .looseObject({
    id: z.string().describe('Part of the name of the property that holds the answer: `$survey_response_<id>`.'),
    type: z.enum(QUESTION_TYPES).describe('What kind of answer it takes.'),
    question: z.string().describe('Text of the question.'),
  })
  .meta({ id: 'SurveyQuestion', description: 'A question, with all that it was made with.' });

/** A survey as responses show it. */
export const surveySchema = z
  .object({
    id: z.uuid().describe('Identifies the survey.'),
    name: z.string().describe('What you call it.'),
    description: z.string().describe('What it is for; may be empty.'),
    type: z.enum(SURVEY_TYPES).describe('Who shows it.'),
    questions: z.array(questionSchema).describe('The questions, in order.'),
    conditions: anyObject.nullable().describe('Whom to ask, and where; null: every visitor.'),
    appearance: anyObject.nullable().describe('Appearance for clients.'),
    linked_flag_id: z.int().nullable().describe('Number of the linked flag.'),
    linked_flag: flagSchema.nullable().describe('The flag; null also when it is hidden from you.'),
    targeting_flag_id: z.int().nullable().describe('Number of the flag that says whom to ask.'),
    targeting_flag: flagSchema.nullable().describe('That flag; null also when it is hidden from you.'),
    targeting_flag_filters: anyObject
      .nullable()
      .describe('Whom it asks, where that is said by a flag of its own; null also when the flag is hidden from you.'),
    internal_targeting_flag: z.null().describe('Always null: who has answered is known to the libraries.'),
    schedule: z.enum(SCHEDULES).describe('Whether and when a visitor is asked again.'),
    iteration_count: z.int().nullable().describe('Of a recurring survey: how many iterations there are.'),
    iteration_frequency_days: z.int().nullable().describe('Of a recurring survey: days from one iteration to the next.'),
    iteration_start_dates: z.array(time('A start.')).nullable().describe('When the iterations begin.'),
    current_iteration: z.int().nullable().describe('Number of the iteration by now, from 1.'),
    current_iteration_start_date: time('When that began.').nullable(),
    responses_limit: z.int().nullable().describe('The survey ends when so many answers are stored.'),
    enable_partial_responses: z.boolean().describe('Whether libraries may send answers before the last question.'),
    feature_flag_keys: z
      .array(z.object({ key: z.string().describe('Which flag.'), value: z.string().nullable().describe('Its key.') }))
      .describe('The flags that must be on.'),
    start_date: time('From when it runs.').nullable(),
    end_date: time('Until when it runs.').nullable(),
    archived: z.boolean().describe('Whether it is put away.'),
    created_by: userSchema.nullable().describe('Who made it; null when that user is gone.'),
    created_at: time('When it was made.'),
    user_access_level: accessFieldsSchema.user_access_level,
  })
  .meta({ id: 'Survey', description: 'Questions to the people who use pages and apps.' });

export const surveyPage = pageOf(surveySchema);
