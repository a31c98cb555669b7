import type { FilterGroup } from '../../filter.js';
import type { SqlSelect } from './ast.js';

/** A select that its author wrote, over the project's tables. */
export interface HogQLQuery {
  kind: 'HogQLQuery';
  /** As it was written. */
  text: string;
  statement: SqlSelect;
  /** Which of its rows; null: as many as it says itself. */
  page: { limit: number; offset: number } | null;
  /** For `{filters}`: which events. */
  dateFrom: string | null;
  dateTo: string | null;
  properties: FilterGroup;
  filterTestAccounts: boolean;
}
