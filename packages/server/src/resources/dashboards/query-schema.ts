import { z } from 'zod';
import { optional } from '../../http/fields.js';
import { pageParameters } from '../../http/pagination.js';
import { queryValues } from '../../http/query-values.js';
import { overrideParam, refreshParam } from '../results/index.js';

export const retrieveQuery = z.object({
  filters_override: overrideParam('filters_override').describe(
    'JSON object laid over the dashboard’s filters for this answer alone.',
  ),
  variables_override: overrideParam('variables_override').describe('JSON object laid over the variables for this answer alone.'),
  refresh: refreshParam,
});
export type RetrieveQuery = z.output<typeof retrieveQuery>;

const cleaned = (value: unknown): string => (typeof value === 'string' ? value.replaceAll('\0', '').trim() : '');

/** A text of the query; an odd one narrows nothing. */
const word = z.unknown().transform((value) => cleaned(value) || undefined);

/** A tag to look for; one that cannot be is found nowhere. */
const anyTag = z.unknown().transform((value) => cleaned(value).toLowerCase());

export const listQuery = z.object({
  ...pageParameters,
  search: optional(word).describe('Part of the name or description, in any case.').meta({ type: 'string' }),
  tags: queryValues(anyTag).describe('Only dashboards with any of these tags.'),
  creation_mode: optional(word)
    .describe('Only dashboards made this way: `default`, `template` or `duplicate`.')
    .meta({ type: 'string' }),
  exclude_generated: optional(word.transform((value) => value === 'true' || value === '1'))
    .describe('Leaves out dashboards that other features made.')
    .meta({ type: 'boolean' }),
});
