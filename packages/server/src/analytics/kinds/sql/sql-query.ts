import type { FilterGroup } from '../../filter.js';
import type { SqlSelect } from './ast.js';

/** A select that its author wrote, over the project's tables. */
export interface HogQLQuery {
  kind: 'HogQLQuery';
  /** As it was written. */
  text: string;
  /** What was read of it, with the values of its placeholders. A function, and so no part of the key under which results are cached. */
  statement: () => SqlSelect;
  /** The values of its placeholders, which with the text are the whole statement. */
  values: unknown;
  /** Which of its rows; null: as many as it says itself. */
  page: { limit: number; offset: number } | null;
  /** For `{filters}`: which events. */
  dateFrom: string | null;
  dateTo: string | null;
  properties: FilterGroup;
  filterTestAccounts: boolean;
}
