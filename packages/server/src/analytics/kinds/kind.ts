import type { Json } from '../../kernel/json.js';
import type { ReadResult } from '../../ports/events.js';
import type { Filter, FilterGroup } from '../filter.js';
import type { UserSqlScope } from '../row-filter.js';
import type { FilterContext } from '../sql/filter.js';
import { bound, type Fragment, sql } from '../sql/fragment.js';

/** What a query is computed against. */
export interface KindContext extends FilterContext {
  /** First day of the week: 0 Sunday, 1 Monday. */
  weekStart: 0 | 1;
  /** What tells events of real users from those of tests. */
  testAccounts: FilterGroup;
  /** Finds under which ids the events of persons are captured, by their uuids; the first hundred of each. */
  readDistinctIds(persons: readonly string[]): Promise<ReadonlyMap<string, string[]>>;
}

/** Runs statements. */
export interface Execute {
  /** Runs a statement and returns its rows. */
  <Row>(statement: Fragment): Promise<Row[]>;
  /**
   * Runs one whose form is of an author's making: the engine itself then sees to it that no other project's rows are read. `attr`: the field to
   * name where it fails.
   */
  userSql(statement: Fragment, author: UserSqlScope, attr?: string): Promise<ReadResult<Record<string, Json>>>;
}

/** One kind of query: what of it has to be looked up before, and from the query as data to its result. */
export interface Kind<Q, Result> {
  /** Every filter in the query, by the path of its field: their cohorts and patterns are found before it runs. */
  filters(query: Q): Record<string, Filter>;
  run(query: Q, context: KindContext, execute: Execute): Promise<Result>;
}

/** Epoch milliseconds as a time of the engine. */
export const instantSql = (millis: number): Fragment => sql`fromUnixTimestamp64Milli(${bound('Int64', millis)}, 'UTC')`;
