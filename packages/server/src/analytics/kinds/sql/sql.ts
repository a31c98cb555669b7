import type { Json } from '../../../kernel/json.js';
import { resolveDate } from '../../dates.js';
import { condition } from '../../sql/filter.js';
import { every, type Fragment, type ProfileOwner, profilesRead, sql, TRUE, whole } from '../../sql/fragment.js';
import { before, notBefore } from '../../sql/time.js';
import type { Execute, Kind, KindContext } from '../kind.js';
import { orRefuse } from './ast.js';
import { answered, scopeFor, type Written } from './scope.js';
import type { HogQLQuery } from './sql-schema.js';
import { withNamed, writeOne, writeSelect } from './write-select.js';

/** Result of an SQL query. */
export interface SqlResult {
  results: Json[][];
  columns: string[];
  /** Name and ClickHouse type of each column. */
  types: [name: string, type: string][];
  /** The requested select. */
  hogql: string;
  hasMore: boolean;
  limit: number;
  offset: number;
}

const DEFAULT_ROWS = 100;
const MOST_ROWS = 10_000;

export const SQL: Kind<HogQLQuery, SqlResult> = {
  filters: ({ properties }) => ({ filters__properties: properties }),
  run: runSql,
};

async function runSql(query: HogQLQuery, context: KindContext, execute: Execute): Promise<SqlResult> {
  const { fragment, columns, limit, offset } = writeStatement(query, context);
  const { rows, columns: typed } = await execute.userSql(fragment, {
    projectId: context.projectId,
    timezone: context.moment.zone.name,
  });
  return {
    results: rows.slice(0, limit).map((row) => columns.map((name) => row[answered(name)] ?? null)),
    columns,
    types: columns.map((name, index) => [name, (typed[index]?.type ?? '').replace(/LowCardinality\(([^()]*)\)/g, '$1')]),
    hogql: query.text,
    hasMore: rows.length > limit,
    limit,
    offset,
  };
}

/**
 * Writes the statement with a limit of one row more than requested, which tells whether there is a next page.
 * @throws ApiError invalid_input if the statement is not allowed
 */
export function writeStatement(query: HogQLQuery, context: KindContext): Written & { limit: number; offset: number } {
  const { projectId, moment } = context;
  const scope = scopeFor({ projectId, zone: moment.zone.name, now: moment.now, ...filterConditions(query, context) });
  const statement = query.statement();
  const { named, first, rest } = statement;
  return orRefuse('query__query', () => {
    if (query.page) return paged(writeSelect(statement, scope), query.page);
    if (rest.length > 0 || 'first' in first) return paged(writeSelect(statement, scope), { limit: DEFAULT_ROWS, offset: 0 });
    const limit = Math.min(first.limit ?? DEFAULT_ROWS, MOST_ROWS);
    return { ...writeOne(first, withNamed(named, scope), limit + 1), limit, offset: first.offset ?? 0 };
  });
}

/**
 * Whose profiles a statement reads: by its tables and by the fields of their rows, without the conditions of `{filters}`.
 * @throws ApiError invalid_input if the statement is not allowed
 */
export function profilesOfStatement(query: HogQLQuery): ReadonlySet<ProfileOwner> {
  const scope = scopeFor({ projectId: 0, zone: 'UTC', now: 0, filters: TRUE, time: TRUE });
  return profilesRead(orRefuse('query__query', () => writeSelect(query.statement(), scope)).fragment);
}

const paged = ({ fragment, columns }: Written, { limit, offset }: { limit: number; offset: number }) => ({
  fragment: sql`select * from (${fragment}) limit ${whole(limit + 1)} offset ${whole(offset)}`,
  columns,
  limit,
  offset,
});

/** The condition of `{filters}`, and its part on the timestamp. */
function filterConditions(
  { dateFrom, dateTo, properties, filterTestAccounts }: HogQLQuery,
  context: KindContext,
): { filters: Fragment; time: Fragment } {
  const from = dateFrom === null || dateFrom === 'all' ? null : resolveDate(dateFrom, context.moment);
  const to = dateTo === null ? null : resolveDate(dateTo, context.moment);
  const time = every([...(from ? [notBefore(from.instant)] : []), ...(to ? [before(to.end ?? to.instant)] : [])]);
  const filters = every([
    time,
    condition(properties, context),
    ...(filterTestAccounts ? [condition(context.testAccounts, context)] : []),
  ]);
  return { filters, time };
}
