import type { FilterContext } from '../sql/filter.js';
import { bound, type Fragment, sql } from '../sql/fragment.js';

/** What a query is computed against. */
export interface KindContext extends FilterContext {
  projectId: number;
}

/** Runs a statement and returns its rows. */
export type Execute = <Row>(statement: Fragment) => Promise<Row[]>;

/** One kind of query: from the query as data to its result. */
export type Kind<Q, Result> = (query: Q, context: KindContext, execute: Execute) => Promise<Result>;

/** Epoch milliseconds as a time of the engine. */
export const instantSql = (millis: number): Fragment => sql`fromUnixTimestamp64Milli(${bound('Int64', millis)}, 'UTC')`;
