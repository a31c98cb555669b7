import { ApiError } from '../../kernel/errors.js';
import type { Json } from '../../kernel/json.js';
import { resolveDate } from '../dates.js';
import type { EventsQuery } from '../query.js';
import { condition } from '../sql/filter.js';
import { bound, every, type Fragment, identifier, sql } from '../sql/fragment.js';
import { PERSON_ID } from '../sql/person-id.js';
import { selectFromEvents } from '../sql/source.js';
import { type ColumnReader, columnOrder, columnReader } from './event-column-sql.js';
import type { EventColumn } from './event-columns.js';
import { type Execute, instantSql, type Kind, type KindContext } from './kind.js';
import type { Expression } from './sql/expression.js';
import { SqlFault } from './sql/sql-fault.js';
import { isExpression, type OwnValues, writeList } from './sql/write-list.js';

/** A list of events: one row per event, one value per column. */
export interface EventsResult {
  results: Json[][];
  columns: string[];
  types: string[];
  hasMore: boolean;
  limit: number;
  offset: number;
}

export const EVENTS: Kind<EventsQuery, EventsResult> = {
  filters: ({ properties, fixedProperties, action }) => ({ properties, fixedProperties, actionId: action }),
  run: runEvents,
};

/** A result row of the engine. */
type Row = Record<string, Json>;

/** Reads the value of one column from a row. */
interface Slot {
  type: string;
  read(row: Row): Json;
}

async function runEvents(query: EventsQuery, context: KindContext, execute: Execute): Promise<EventsResult> {
  const { rows, slots } = hasUserSql(query)
    ? await userSqlRows(query, context, execute)
    : await plainRows(query, context, execute);
  return {
    results: rows.slice(0, query.limit).map((row) => slots.map(({ read }) => read(row))),
    columns: query.select.map(({ name }) => name),
    types: slots.map(({ type }) => type),
    hasMore: rows.length > query.limit,
    limit: query.limit,
    offset: query.offset,
  };
}

const hasUserSql = ({ select, where, orderBy }: EventsQuery): boolean =>
  where.length > 0 || select.some(isExpression) || (orderBy ?? []).some(({ column }) => isExpression(column));

interface Rows {
  rows: Row[];
  slots: Slot[];
}

async function plainRows(query: EventsQuery, context: KindContext, execute: Execute): Promise<Rows> {
  let at = 0;
  const slots = plainColumns(query).map((column) => {
    const reader = columnReader(column);
    const names = reader.select.map(() => `c${at++}`);
    return slotOf(reader, names, context);
  });
  return { rows: await execute<Row>(eventsStatement(query, context)), slots };
}

const plainColumns = ({ select }: EventsQuery): EventColumn[] =>
  select.flatMap((column) => (isExpression(column) ? [] : [column]));

const slotOf = ({ type, read }: ColumnReader, names: readonly string[], { projectId }: KindContext): Slot => ({
  type,
  read: (row) =>
    read(
      names.map((name) => row[name]),
      projectId,
    ),
});

/** Runs a list with SQL expressions in its columns, conditions or order, under the same row filter as SQL queries. */
async function userSqlRows(query: EventsQuery, context: KindContext, execute: Execute): Promise<Rows> {
  const { fragment, names } = writeEvents(query, context);
  const author = { projectId: context.projectId, timezone: context.moment.timezone };
  const { rows, columns: typed } = await execute.userSql(fragment, author, 'query');
  const types = new Map(typed.map(({ name, type }) => [name, type]));
  const slots = query.select.map((column, index): Slot => {
    const own = names[index] ?? [];
    if (!isExpression(column)) return slotOf(columnReader(column), own, context);
    const [name = ''] = own;
    return { type: types.get(name) ?? '', read: (row) => row[name] ?? null };
  });
  return { rows, slots };
}

function writeEvents(query: EventsQuery, context: KindContext): ReturnType<typeof writeList> {
  const ownOf = (
    column: EventColumn | Expression,
    values: (column: EventColumn) => readonly Fragment[],
  ): Expression | OwnValues => (isExpression(column) ? column : { name: column.name, values: values(column) });
  const time = every(timeOf(query, context));
  try {
    return writeList(
      {
        table: 'events',
        columns: query.select.map((column) => ownOf(column, (plain) => columnReader(plain).select)),
        filters: every([time, ...conditions(query, context)]),
        time,
        where: query.where,
        orderBy:
          query.orderBy?.map(({ column, descending }) => ({
            by: ownOf(column, (plain) => columnOrder(plain) ?? []),
            descending,
          })) ?? null,
        newest: sql`e.timestamp`,
        unique: sql`e.uuid`,
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

/** Requests one row more than the limit, which tells whether there is a next page. */
export function eventsStatement(query: EventsQuery, context: KindContext): Fragment {
  const selected = plainColumns(query).flatMap((column) => columnReader(column).select);
  return selectFromEvents({
    projectId: context.projectId,
    select: selected.map((expression, index) => sql`${expression} as ${identifier(`c${index}`)}`),
    where: [...timeOf(query, context), ...conditions(query, context)],
    orderBy: order(query),
    limit: query.limit + 1,
    offset: query.offset,
  });
}

function timeOf(query: EventsQuery, { moment }: KindContext): Fragment[] {
  const after = query.after === null ? null : resolveDate(query.after, moment);
  const before = query.before === null ? null : resolveDate(query.before, moment);
  return [
    ...(after ? [sql`e.timestamp > ${instantSql(after.instant)}`] : []),
    ...(before ? [sql`e.timestamp < ${instantSql(before.instant)}`] : []),
  ];
}

const conditions = (query: EventsQuery, context: KindContext): Fragment[] => [
  ...(query.event === null ? [] : [sql`e.event = ${bound('String', query.event)}`]),
  ...(query.distinctId === null ? [] : [sql`e.distinct_id = ${bound('String', query.distinctId)}`]),
  ...(query.personId === null ? [] : [sql`${PERSON_ID} = ${bound('UUID', query.personId)}`]),
  condition(query.action, context),
  condition(query.properties, context),
  condition(query.fixedProperties, context),
  ...(query.filterTestAccounts ? [condition(context.testAccounts, context)] : []),
];

const NEWEST = { column: { name: 'timestamp', kind: 'field', field: 'timestamp' }, descending: true } as const;

/** Appends the uuid to make the order total, so that pages neither repeat nor miss a row. */
function order({ orderBy }: EventsQuery): Fragment[] {
  const asked = (orderBy ?? [NEWEST]).flatMap(({ column, descending }) =>
    (isExpression(column) ? [] : (columnOrder(column) ?? [])).map((one) =>
      descending ? sql`${one} desc nulls last` : sql`${one} asc nulls last`,
    ),
  );
  return [...asked, sql`e.uuid`];
}
