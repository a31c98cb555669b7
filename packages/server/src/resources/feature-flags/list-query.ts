import { z } from 'zod';
import { choice, integer, optional, tag, text } from '../../http/fields.js';
import { pageParameters } from '../../http/pagination.js';
import { isTruthyParameter, queryValues } from '../../http/query-values.js';
import { staleSince } from './status.js';
import { FLAG_TYPES, type FlagFilter, isOrderField, type Order } from './store.js';

const word = (max = 1000) => optional(text({ max, blank: true }));

/** What a list of flags may be narrowed to. */
export const listQuery = z.object({
  search: word().describe('Only those with this text in key, name or the name of an experiment.'),
  active: word().describe(
    'True: only those switched on; false: only those switched off; `STALE`: only those that have done their work.',
  ),
  created_by_id: queryValues(integer()).describe('Only those made by one of these users (numbers).'),
  created_by: queryValues(integer()).describe('The same.'),
  tags: queryValues(tag).describe('Only those with any of these tags.'),
  type: optional(choice(FLAG_TYPES)).describe('Only this kind of flag.'),
  evaluation_runtime: optional(choice(['all', 'client', 'server'])).describe('Only those for these libraries.'),
  order: word().describe(
    'By what to sort: created_at, updated_at, key, name or id, with a minus for descending. Else -created_at.',
  ),
  ...pageParameters,
});
export type ListQuery = z.output<typeof listQuery>;

/** What such a query means at `now` (epoch ms). */
export const filterOf = (query: ListQuery, now: number): FlagFilter => ({
  search: query.search || undefined,
  active: activeOf(query.active ?? ''),
  stale_since: staleSince(now),
  created_by: query.created_by_id ?? query.created_by,
  tags: query.tags,
  type: query.type,
  evaluation_runtime: query.evaluation_runtime,
});

function activeOf(word: string): FlagFilter['active'] {
  if (word === '') return undefined;
  return /^stale$/i.test(word) ? 'STALE' : isTruthyParameter(word);
}

/** How such a query sorts; what is no field counts as absent. */
export function orderOf({ order = '' }: ListQuery): Order {
  const field = order.replace(/^-/, '');
  return isOrderField(field) ? { field, descending: order.startsWith('-') } : { field: 'created_at', descending: true };
}
