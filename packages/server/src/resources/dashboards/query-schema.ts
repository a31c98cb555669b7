import { z } from 'zod';
import { optional } from '../../http/atoms.js';
import { overrideParam, refreshParam } from '../results/index.js';

export const retrieveQuery = z.object({
  filters_override: overrideParam('filters_override').describe(
    'JSON object laid over the dashboard’s filters for this answer alone.',
  ),
  variables_override: overrideParam('variables_override').describe('JSON object laid over the variables for this answer alone.'),
  refresh: refreshParam,
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
