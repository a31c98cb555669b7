import type { Json } from '../../kernel/json.js';
import type { ReadResult } from '../../ports/events.js';
import type { Filter, FilterGroup } from '../filter.js';
import type { UserSqlScope } from '../row-filter.js';
import type { FilterContext } from '../sql/filter.js';
import { bound, type Fragment, sql } from '../sql/fragment.js';

/** Everything that a query kind needs besides the query: project, time, settings and loaded metadata. */
export interface KindContext extends FilterContext {
  /** First day of the week: 0 Sunday, 1 Monday. */
  weekStart: 0 | 1;
  /** The project's filters against test accounts. */
  testAccounts: FilterGroup;
  /** Loads the distinct ids of persons by uuid; at most a hundred each. */
  readDistinctIds(persons: readonly string[]): Promise<ReadonlyMap<string, string[]>>;
}

/** Runs SQL statements for one query. */
export interface Execute {
  /** Runs a statement and returns its rows. */
  <Row>(statement: Fragment): Promise<Row[]>;
  /**
   * Runs a statement that contains SQL written by a user. The engine itself filters other projects' rows (row-filter.ts). `attr`: the
   * request field that errors name.
   */
  userSql(statement: Fragment, author: UserSqlScope, attr?: string): Promise<ReadResult<Record<string, Json>>>;
}

/** Implementation of one kind of query. */
export interface Kind<Q, Result> {
  /** All filters of the query by field path. Their cohorts, actions and regular expressions are loaded before `run`. */
  filters(query: Q): Record<string, Filter>;
  run(query: Q, context: KindContext, execute: Execute): Promise<Result>;
}

/** Epoch milliseconds as DateTime64 in UTC. */
export const instantSql = (millis: number): Fragment => sql`fromUnixTimestamp64Milli(${bound('Int64', millis)}, 'UTC')`;
