import { z } from 'zod';
import { choice, integer, optional, tag, text } from '../../http/fields.js';
import { pageParameters } from '../../http/pagination.js';
import { isTruthyParameter, queryValues } from '../../http/query-values.js';
import { FLAG_TYPES, type FlagFilter, isOrderField, type Order } from './list-store.js';
import { staleSince } from './status.js';

const word = (max = 1000) => optional(text({ max, blank: true }));

/** The query parameters of lists. */
export const listQuery = z.object({
  search: word().describe('Only flags with this text in their key, name or the name of an experiment.'),
  active: word().describe('True: only active flags; false: only inactive ones; `STALE`: only stale ones.'),
  created_by_id: queryValues(integer()).describe('Only flags created by one of these users (numbers).'),
  created_by: queryValues(integer()).describe('As `created_by_id`.'),
  tags: queryValues(tag).describe('Only flags with any of these tags.'),
  type: optional(choice(FLAG_TYPES)).describe('Only flags of this type.'),
  evaluation_runtime: optional(choice(['all', 'client', 'server'])).describe('Only flags with this `evaluation_runtime`.'),
  order: word().describe(
    'Field to sort by: created_at, updated_at, key, name or id, with a minus for descending. Default: -created_at.',
  ),
  ...pageParameters,
});
export type ListQuery = z.output<typeof listQuery>;

/** The filter of a query at `now` (epoch ms). */
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

/** The order of a query. Unknown fields are ignored. */
export function orderOf({ order = '' }: ListQuery): Order {
  const field = order.replace(/^-/, '');
  return isOrderField(field) ? { field, descending: order.startsWith('-') } : { field: 'created_at', descending: true };
}
