import { z } from 'zod';
import { timeSchema } from '../../http/dates.js';
import { choice, list, nullable, optional, text } from '../../http/fields.js';
import { pageOf, pageParameters } from '../../http/pagination.js';

const VARIABLE_TYPES = ['String', 'Number', 'Boolean', 'List', 'Date'] as const;
export type VariableType = (typeof VARIABLE_TYPES)[number];

/** A value of a variable. */
export type VariableValue = string | number | boolean | null;

/** The parameter of paths to one variable. */
export const variableParams = { id: z.string().describe('UUID of the variable.') };

export const listQuery = z.object({
  code_name: optional(text({ max: 400 })).describe('Only the one that questions call so.'),
  ...pageParameters,
});

const MAX_CHOICES = 100;

const MAX_TEXT = 1_000;

/** What is wrong with a value; null: nothing. */
function faultOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return null;
  if (typeof value !== 'string') return 'Expected a text, a number or a boolean.';
  if (value.includes('\0')) return 'Null characters are not allowed.';
  return value.length > MAX_TEXT ? `Ensure this field has no more than ${MAX_TEXT} characters.` : null;
}

const value = z
  .unknown()
  .transform((given, ctx): string | number | boolean => {
    const message = faultOf(given);
    if (message === null) return given as string | number | boolean;
    ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, input: given });
    return z.NEVER;
  })
  .meta({ type: ['string', 'number', 'boolean'], maxLength: MAX_TEXT });

const choices = list(text({ max: 400 })).superRefine((all, ctx) => {
  const message = `A list may have ${MAX_CHOICES} values.`;
  if (all.length > MAX_CHOICES) ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
});

const described = {
  name: 'Name for people. The first one makes the `code_name`.',
  type: 'What its values are: `String`, `Number`, `Boolean`, `List` (one of `values`) or `Date` (`2026-01-31` or a date-time).',
  default_value: 'The value where a question or a dashboard says no other; null for none. It must be of the type.',
  values: 'The values of a `List`, at most 100; null for other types.',
};

/** Body of POST. */
export const createSchema = z
  .object({
    name: text({ max: 400 }).describe(described.name),
    type: choice(VARIABLE_TYPES).describe(described.type),
    default_value: optional(nullable(value)).describe(described.default_value),
    values: optional(nullable(choices)).describe(described.values),
  })
  .meta({ example: { name: 'Country', type: 'List', values: ['DE', 'FR'], default_value: 'DE' } });

/** Body of PATCH and PUT; what is left out stays. */
export const updateSchema = z
  .object({
    name: optional(text({ max: 400 })).describe(described.name),
    type: optional(choice(VARIABLE_TYPES)).describe(described.type),
    default_value: optional(nullable(value)).describe(described.default_value),
    values: optional(nullable(choices)).describe(described.values),
  })
  .meta({ example: { default_value: 'FR' } });
export type VariableFields = z.output<typeof updateSchema>;

/** A variable in responses. */
export const variableSchema = z
  .object({
    id: z.uuid().describe('Identifier, the key of the variable in `variables` of queries and dashboards.'),
    name: z.string().describe('Name for people.'),
    type: z.enum(VARIABLE_TYPES).describe('What its values are.'),
    default_value: z
      .union([z.string(), z.number(), z.boolean()])
      .nullable()
      .describe('The value where a question or a dashboard says no other.'),
    created_by: z.int().nullable().describe('Number of the user who made it; null when that user is gone.'),
    created_at: timeSchema('When it was made.'),
    code_name: z.string().describe('How SQL questions call it: `{variables.code_name}`. It never changes.'),
    values: z.array(z.string()).nullable().describe('The values of a `List`.'),
  })
  .meta({ id: 'InsightVariable', description: 'A value that SQL questions name and dashboards set.' });

export const variablePage = pageOf(variableSchema);
