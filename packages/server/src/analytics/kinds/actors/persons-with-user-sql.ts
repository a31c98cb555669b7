import { ApiError } from '../../../kernel/errors.js';
import type { Json } from '../../../kernel/json.js';
import { joining, sql, TRUE } from '../../sql/fragment.js';
import { OWN_ID } from '../../sql/source.js';
import type { Execute, KindContext } from '../kind.js';
import { SqlFault } from '../sql/sql-fault.js';
import { isExpression, writeList } from '../sql/write-list.js';
import type { ActorsQuery } from './actors-query.js';
import { type ActorsResult, typeOf } from './actors-result.js';
import { type ActorRow, matches, orderOfPerson, read, valuesOfPerson } from './profile-sql.js';

const OWNER = { type: 'person' } as const;
const CREATED = joining(sql`p.created_at_of_person`, {
  table: 'persons',
  column: { alias: 'created_at_of_person', expression: sql`created_at` },
});
const EMPTY_ROW: ActorRow = { id: '', known: 1, properties: '', created: 0, identified: 0, event_count: 0 };

/** Lists all persons with SQL expressions in columns, conditions or order, under the same row filter as SQL queries. */
export async function personsWithUserSql(query: ActorsQuery, context: KindContext, execute: Execute): Promise<ActorsResult> {
  const { fragment, names } = writePersons(query, context);
  const author = { projectId: context.projectId, timezone: context.moment.timezone };
  const { rows, columns: typed } = await execute.userSql(fragment, author, 'query');
  const types = new Map(typed.map(({ name, type }) => [name, type]));
  const slots = query.select.map((column, index) => {
    const own = names[index] ?? [];
    const [name = ''] = own;
    if (isExpression(column)) return { type: types.get(name) ?? '', read: (row: Record<string, Json>) => row[name] ?? null };
    const keys = Object.keys(valuesOfPerson(column));
    return {
      type: typeOf(column),
      read: (row: Record<string, Json>) =>
        read(column, { ...EMPTY_ROW, ...Object.fromEntries(keys.map((key, at) => [key, row[own[at] ?? ''] ?? null])) }, OWNER),
    };
  });
  return {
    results: rows.slice(0, query.limit).map((row) => slots.map((slot) => slot.read(row))),
    columns: query.select.map(({ name }) => name),
    types: slots.map(({ type }) => type),
    hasMore: rows.length > query.limit,
    limit: query.limit,
    offset: query.offset,
  };
}

function writePersons(query: ActorsQuery, context: KindContext): ReturnType<typeof writeList> {
  try {
    return writeList(
      {
        table: 'persons',
        columns: query.select.map((column) =>
          isExpression(column) ? column : { name: column.name, values: Object.values(valuesOfPerson(column)) },
        ),
        filters: matches(query, OWNER, context),
        time: TRUE,
        where: query.where,
        orderBy:
          query.orderBy?.map(({ column, descending }) => ({
            by: isExpression(column) ? column : { name: column.name, values: orderOfPerson(column) },
            descending,
          })) ?? null,
        newest: CREATED,
        unique: OWN_ID,
        limit: query.limit,
        offset: query.offset,
      },
      context,
    );
  } catch (error) {
    if (error instanceof SqlFault) throw new ApiError('invalid_input', error.message, 'query');
    throw error;
  }
}
