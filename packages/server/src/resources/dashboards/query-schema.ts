import { z } from 'zod';
import { optional } from '../../http/atoms.js';
import { isObject, type JsonObject } from '../../kernel/json.js';

/** A JSON object in a query parameter; what is no such thing is refused in the words that clients know. */
const override = (name: string) =>
  optional(
    z.unknown().transform((value, ctx): JsonObject | undefined => {
      if (value === '') return undefined;
      const parsed = typeof value === 'string' ? parse(value) : undefined;
      if (isObject(parsed)) return parsed;
      const message = `Invalid JSON passed in ${name} parameter`;
      ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, input: value });
      return z.NEVER;
    }),
  );

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export const retrieveQuery = z.object({
  filters_override: override('filters_override').describe('JSON object laid over the dashboard’s filters for this answer alone.'),
  variables_override: override('variables_override').describe('JSON object laid over the variables for this answer alone.'),
  refresh: z
    .unknown()
    .optional()
    .describe(
      'How results of insights are come by: `force_cache` (default), `async`, `blocking`, `force_async`, `force_blocking`, `lazy_async`, true or false.',
    ),
});
export type RetrieveQuery = z.output<typeof retrieveQuery>;

/** The texts of a query parameter, however often it is there; odd ones narrow nothing. */
const words = z
  .unknown()
  .transform((value) =>
    (Array.isArray(value) ? value : [value]).filter((word) => typeof word === 'string').map((word) => word.replaceAll('\0', '')),
  );
const word = words.transform((found) => found.at(-1)?.trim() || undefined);

export const listQuery = z.object({
  limit: z.unknown().optional().describe('How many to answer with; 100 unless said.').meta({ type: 'integer' }),
  offset: z.unknown().optional().describe('How many to leave out at the start.').meta({ type: 'integer' }),
  search: optional(word).describe('Part of the name or description, in any case.').meta({ type: 'string' }),
  tags: optional(words.transform((found) => found.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== '')))
    .describe('Only dashboards with this tag; given several times, with any of them.')
    .meta({ type: 'array', items: { type: 'string' } }),
  creation_mode: optional(word)
    .describe('Only dashboards made this way: `default`, `template` or `duplicate`.')
    .meta({ type: 'string' }),
  exclude_generated: optional(word.transform((value) => value === 'true' || value === '1'))
    .describe('Leaves out dashboards that other features made.')
    .meta({ type: 'boolean' }),
});
