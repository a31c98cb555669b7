import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import { bool, list, nullable, optional, text, unsupported, uuid } from '../../http/fields.js';
import { UploadedFile } from '../../http/form-body.js';
import { linksOf, pageOf, pageParameters } from '../../http/pagination.js';
import type { ErrorCode } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { personSchema } from '../persons/index.js';

/** The parameter of paths to one cohort. */
export const cohortParams = { id: z.string().describe('Number of the cohort.') };

function refuse(ctx: z.core.$RefinementCtx<unknown>, code: ErrorCode, message: string): never {
  ctx.addIssue({ code: 'custom', message, params: { code }, input: ctx.value });
  return z.NEVER;
}

// multipart forms carry the object as JSON text
const filters = z
  .preprocess(
    parsed,
    z.unknown().transform((value, ctx): JsonObject => {
      if (isObject(value)) return value;
      return refuse(ctx, 'invalid_input', 'Expected an object with properties.');
    }),
  )
  .meta({ type: 'object', additionalProperties: true });

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const file = z
  .unknown()
  .transform((value, ctx): string => {
    if (value instanceof UploadedFile) return value.bytes.toString('utf8');
    return typeof value === 'string' ? value : refuse(ctx, 'invalid_input', 'The submitted data was not a file.');
  })
  .meta({ type: 'string', format: 'binary' });

const noLegacyGroups = z
  .unknown()
  .transform((value, ctx) => {
    const given = parsed(value);
    const isNone = given === null || given === '' || (Array.isArray(given) && given.length === 0);
    return isNone ? [] : refuse(ctx, 'invalid_input', 'This field is no longer used. Use filters.');
  })
  .meta({ type: 'array', maxItems: 0 });

const ids = list(text({ max: 400, trim: false, blank: true }));

/** The body of POST, PATCH and PUT. Fields are validated in this order, and the first error is the response. */
export const fieldsSchema = z
  .object({
    name: optional(nullable(text({ max: 400, blank: true }))).describe('Name; null: none.'),
    description: optional(nullable(text({ max: 1000, blank: true }))).describe('Who these people are.'),
    groups: optional(noLegacyGroups).describe('The conditions in their older form: empty, use `filters`.'),
    filters: optional(nullable(filters)).describe(
      `Of whom it is made: \`{"properties": {"type": "AND" | "OR", "values": […]}}\`, where values are such groups again or conditions
with \`type\` (person, cohort or behavioral), \`key\`, \`value\`, \`operator\` and \`negation\`. One of type behavioral is about what
people did: \`key\` is the event (null: any), \`event_filters\` say which of them, and \`value\` how it was done:
\`performed_event\`, \`performed_event_multiple\` (\`operator\` gte, lte, exact, gt or lt, and \`operator_value\`) and
\`performed_event_first_time\` in the last \`time_value\` \`time_interval\` (minute, hour, day, week, month, year) or since
\`explicit_datetime\` (a date, or \`all\`; until \`explicit_datetime_to\`); \`performed_event_regularly\`, in \`min_periods\` of
the last \`total_periods\` periods of that length; \`stopped_performing_event\` and \`restarted_performing_event\`, where the last
\`seq_time_value\` \`seq_time_interval\` are the recent time. A cohort needs filters unless it is static.`,
    ),
    query: unsupported('Cohorts are made of filters, or of lists of people.'),
    deleted: optional(bool()).describe('True deletes the cohort, unless flags or other cohorts use it; false restores it.'),
    is_static: optional(bool()).describe(
      'Whether it is a list of people, rather than all of whom conditions hold. Stays as created.',
    ),
    _create_static_person_ids: optional(ids).describe(
      'People to put into a static cohort: distinct ids or UUIDs. Who is unknown is left out.',
    ),
    csv: optional(nullable(file)).describe(
      `People to put into a static cohort, as a CSV file in a multipart form: its column \`distinct_id\`, \`person_id\` or \`email\`, or the
first when no column has such a name.`,
    ),
  })
  .meta({
    example: {
      name: 'Customers in Europe',
      filters: {
        properties: {
          type: 'AND',
          values: [{ type: 'person', key: 'continent', operator: 'exact', value: ['Europe'] }],
        },
      },
    },
  });
export type CohortFields = z.output<typeof fieldsSchema>;

/** The body of `duplicate`. */
export const duplicateSchema = z
  .object({
    name: optional(nullable(text({ max: 400 }))).describe('Name of the copy; default: that of the original with “(Copy)”.'),
  })
  .meta({ example: { name: 'Interviewed in spring' } });
export type DuplicateFields = z.output<typeof duplicateSchema>;

const word = () => optional(text({ max: 400, blank: true }));

export const listQuery = z.object({
  search: word().describe('Only those with this text in name or description.'),
  type: word().describe('`static` or `dynamic`: only lists of people, or only cohorts made by conditions.'),
  ...pageParameters,
});

export const addSchema = z
  .object({ person_ids: list(text({ max: 400, trim: false })).describe('UUIDs or distinct ids; who is unknown is left out.') })
  .meta({ example: { person_ids: ['0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1'] } });

export const removeSchema = z
  .object({ person_id: uuid().describe('UUID of the person.') })
  .meta({ example: { person_id: '0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1' } });

/** The body of a count before anything is saved. */
export const countSchema = z.object({ filters: filters.describe('Conditions, as of a cohort.') }).meta({
  example: {
    filters: { properties: { type: 'AND', values: [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }] } },
  },
});

export const countedSchema = z.object({
  matching: z.int().describe('How many people the conditions hold for.'),
  total: z.int().describe('How many people the project has.'),
});

export const usedBySchema = z.object({
  flags: z
    .array(z.object({ id: z.int().describe('Number of the flag.'), key: z.string().describe('Its key.') }))
    .describe('Feature flags whose conditions name the cohort.'),
  cohorts: z
    .array(
      z.object({ id: z.int().describe('Number of the cohort.'), name: z.string().nullable().describe('Its name; null: none.') }),
    )
    .describe('Other cohorts whose conditions name it.'),
  hidden: z.int().describe('How many more flags and cohorts use it that you may not see.'),
});

export const peopleQuery = z.object({ ...pageParameters });

/** A cohort as responses show it. */
export const cohortSchema = z
  .object({
    id: z.int().describe('Number of the cohort.'),
    name: z.string().nullable().describe('Name.'),
    description: z.string().describe('Who these people are; may be empty.'),
    groups: z.array(z.unknown()).describe('The conditions in their older form; always empty.'),
    filters: z.record(z.string(), z.unknown()).describe('The conditions, as `properties`; `{}` of a static cohort.'),
    query: z.null().describe('Always null.'),
    deleted: z.boolean().describe('Whether it is deleted.'),
    is_static: z.boolean().describe('Whether it is a list of people, rather than all of whom conditions hold.'),
    cohort_type: z
      .enum(['static', 'person_property', 'behavioral'])
      .describe('Of what it is made: a list, properties of people, or also what they did (`behavioral`).'),
    count: z.int().nullable().describe('How many people were in it when they were counted last; null: not counted yet.'),
    is_calculating: z.boolean().describe('Whether people are being counted.'),
    last_calculation: timeSchema('When people were counted last.').nullable(),
    errors_calculating: z.int().describe('How often in a row they could not be counted.'),
    version: z.int().describe('Grows with every change of the cohort.'),
    experiment_set: z.array(z.int()).describe('Always empty.'),
    created_by: userSchema.nullable().describe('Who made it; null when that user is gone.'),
    created_at: timeSchema('When it was made.'),
    user_access_level: accessFieldsSchema.user_access_level,
  })
  .meta({ id: 'Cohort', description: 'People who have something in common.' });

export const cohortPage = pageOf(cohortSchema);

/** A page of the people in a cohort. */
export const peoplePage = z.object({ ...linksOf(), results: z.array(personSchema).describe('This page, newest first.') });

export const doneSchema = z.object({ success: z.literal(true).describe('Always true.') });
