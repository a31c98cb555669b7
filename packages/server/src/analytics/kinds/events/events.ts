import type { Json } from '../../../kernel/json.js';
import { resolveDate } from '../../dates.js';
import { condition } from '../../sql/filter.js';
import { bound, every, type Fragment, identifier, sql } from '../../sql/fragment.js';
import { PERSON_ID } from '../../sql/property.js';
import { selectFromEvents } from '../../sql/source.js';
import { type Execute, instantSql, type Kind, type KindContext, type ListColumn, type ListResult, listResult } from '../kind.js';
import { hasUserSql, isExpression, type List, runList } from '../sql/write-list.js';
import { columnOrder, columnReader, type EventColumn } from './event-columns.js';
import type { EventsQuery } from './events-schema.js';

export const EVENTS: Kind<EventsQuery, ListResult> = {
  filters: ({ properties, fixedProperties, action }) => ({ properties, fixedProperties, actionId: action }),
  run: runEvents,
};

async function runEvents(query: EventsQuery, context: KindContext, execute: Execute): Promise<ListResult> {
  if (hasUserSql(query)) return runList(listOf(query, context), context, execute);
  let at = 0;
  const columns = plainColumns(query).map((column): ListColumn<Record<string, Json>> => {
    const { type, select, read } = columnReader(column);
    const names = select.map(() => `c${at++}`);
    const values = (row: Record<string, Json>) => names.map((name) => row[name]);
    return { name: column.name, type, read: (row) => read(values(row), context.projectId) };
  });
  return listResult(await execute<Record<string, Json>>(eventsStatement(query, context)), columns, query);
}

const plainColumns = ({ select }: EventsQuery): EventColumn[] =>
  select.flatMap((column) => (isExpression(column) ? [] : [column]));

/** The list of a query with SQL expressions in columns, conditions or order. */
function listOf(query: EventsQuery, context: KindContext): List {
  const time = every(timeOf(query, context));
  return {
    table: 'events',
    columns: query.select.map((column) => {
      if (isExpression(column)) return column;
      const { type, select, read } = columnReader(column);
      return { name: column.name, values: select, type, read: (values) => read(values, context.projectId) };
    }),
    filters: every([time, ...conditions(query, context)]),
    time,
    where: query.where,
    orderBy:
      query.orderBy?.map(({ column, descending }) => ({
        by: isExpression(column) ? column : { name: column.name, values: columnOrder(column) ?? [] },
        descending,
      })) ?? null,
    newest: sql`e.timestamp`,
    unique: sql`e.uuid`,
    limit: query.limit,
    offset: query.offset,
  };
}

/** Requests one row more than the limit, which tells whether there is a next page. */
function eventsStatement(query: EventsQuery, context: KindContext): Fragment {
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
  const terms = (orderBy ?? [NEWEST]).flatMap(({ column, descending }) =>
    (isExpression(column) ? [] : (columnOrder(column) ?? [])).map((one) =>
      descending ? sql`${one} desc nulls last` : sql`${one} asc nulls last`,
    ),
  );
  return [...terms, sql`e.uuid`];
}
