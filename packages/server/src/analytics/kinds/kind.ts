import { ApiError } from '../../kernel/errors.js';
import type { Json } from '../../kernel/json.js';
import type { ReadResult } from '../../ports/events.js';
import type { Scheduler } from '../../ports/system.js';
import type { Span } from '../buckets.js';
import type { IntervalQuestion, IntervalRow, OtherForms } from '../cache/interval-parts.js';
import type { Filter, FilterGroup } from '../filter.js';
import type { InsightScope } from '../insight-schema.js';
import type { UserSqlScope } from '../row-filter.js';
import type { FilterContext } from '../sql/filter.js';
import { bound, type Fragment, sql } from '../sql/fragment.js';

/** Everything that a query kind needs besides the query: project, time, settings and loaded metadata. */
export interface KindContext extends FilterContext {
  /** First day of the week: 0 Sunday, 1 Monday. */
  weekStart: 0 | 1;
  /** The project's filters against test accounts. */
  testAccounts: FilterGroup;
  /** The distinct ids of the project have several events each. */
  hasDenseEvents: boolean;
  /** Gives other work a turn while a large result is computed. */
  scheduler: Pick<Scheduler, 'yield'>;
  /** The statement lists actors, instead of only counting them. */
  namesActors?: true;
  /** Loads the distinct ids of persons by uuid; at most a hundred each. */
  readDistinctIds(persons: readonly string[]): Promise<ReadonlyMap<string, string[]>>;
}

/** Runs SQL statements for one query. */
export interface Execute {
  /** Runs a statement and returns its rows. */
  <Row>(statement: Fragment): Promise<Row[]>;
  /**
   * The rows of a statement of which each depends on the events of one interval alone. Only intervals whose data have changed are
   * computed. Null: the cache cannot help, and the caller computes the result in its own way.
   */
  byInterval<Row extends IntervalRow>(question: IntervalQuestion): Promise<Row[] | null>;
  /**
   * The rows of a statement that depend on the events of a span alone, beside profiles. Those of a span that is over come from the cache
   * until its data change.
   * @param forms other forms of the statement
   */
  ofSpan<Row extends object>(statement: Fragment, span: Span, forms?: OtherForms): Promise<Row[]>;
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

/** The filters of series by field path. */
export const seriesFilters = (series: readonly { properties: Filter }[]): Record<string, Filter> =>
  Object.fromEntries(series.map(({ properties }, index) => [`series__${index}__properties`, properties]));

/** Epoch milliseconds as DateTime64 in UTC. */
export const instantSql = (millis: number): Fragment => sql`fromUnixTimestamp64Milli(${bound('Int64', millis)}, 'UTC')`;

/** Maximum number of values in a result. */
const MAX_NUMBERS = 1_000_000;

/** Rejects results with too many values. `coarser`: advice for the message. @throws ApiError invalid_input for `field` */
export function requireNumbers(count: number, field: string, coarser = 'a longer interval'): void {
  if (count <= MAX_NUMBERS) return;
  const advice = `Ask for ${coarser}, a shorter range or fewer values.`;
  throw new ApiError('invalid_input', `This answer may have more than ${MAX_NUMBERS} numbers. ${advice}`, field);
}

/** The field that limits the number of lines. */
export const LIMIT_FIELD = 'query__breakdownFilter__breakdown_limit';

/** Scales a count of sampled persons to all persons. */
export const scaledBy = ({ samplingFactor }: Pick<InsightScope, 'samplingFactor'>) =>
  samplingFactor < 1 ? (count: number): number => Math.round(count / samplingFactor) : (count: number): number => count;

/** A list of events, persons or groups: one row for each, one value per column. */
export interface ListResult {
  results: Json[][];
  columns: string[];
  types: string[];
  hasMore: boolean;
  limit: number;
  offset: number;
}

/** A column of a list: its name, its type in results, and how its value is read from a row of the engine. */
export interface ListColumn<Row> {
  name: string;
  type: string;
  read(row: Row): Json;
}

/** Formats a list. `rows` has one row more than `limit` if there is a next page. */
export const listResult = <Row>(
  rows: readonly Row[],
  columns: readonly ListColumn<Row>[],
  { limit, offset }: { limit: number; offset: number },
): ListResult => ({
  results: rows.slice(0, limit).map((row) => columns.map(({ read }) => read(row))),
  columns: columns.map(({ name }) => name),
  types: columns.map(({ type }) => type),
  hasMore: rows.length > limit,
  limit,
  offset,
});
