import type { FilterGroup } from '../../filter.js';
import type { SqlSelect } from './ast.js';

/** A select written by a user over the tables of the project. */
export interface HogQLQuery {
  kind: 'HogQLQuery';
  /** The source text. */
  text: string;
  /** The syntax tree with resolved placeholders. A function, so that JSON cache keys do not include it. */
  statement: () => SqlSelect;
  /** Values of the placeholders: part of the cache key, as `text` is. */
  values: unknown;
  /** Page of the result; null: the limit of the statement itself. */
  page: { limit: number; offset: number } | null;
  /** What `{filters}` stands for. */
  dateFrom: string | null;
  dateTo: string | null;
  properties: FilterGroup;
  filterTestAccounts: boolean;
}
