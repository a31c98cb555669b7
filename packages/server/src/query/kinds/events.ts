import type { Json } from '../../kernel/json.js';
import { resolveDate } from '../dates.js';
import type { EventsQuery } from '../query.js';
import { condition } from '../sql/filter.js';
import { bound, type Fragment, identifier, sql } from '../sql/fragment.js';
import { PERSON_ID, selectFromEvents } from '../sql/source.js';
import { columnOrder, columnReader } from './event-column-sql.js';
import { type Execute, instantSql, type Kind, type KindContext } from './kind.js';

/** Lists of events: a row each, a value for each column. */
export interface EventsResult {
  results: Json[][];
  columns: string[];
  types: string[];
  hasMore: boolean;
  limit: number;
  offset: number;
}

export const EVENTS: Kind<EventsQuery, EventsResult> = {
  filters: ({ properties, fixedProperties }) => ({ properties, fixedProperties }),
  run: runEvents,
};

async function runEvents(query: EventsQuery, context: KindContext, execute: Execute): Promise<EventsResult> {
  const readers = query.select.map(columnReader);
  const rows = await execute<Record<string, unknown>>(eventsStatement(query, context));
  let at = 0;
  const slots = readers.map(({ select, read }) => {
    const names = select.map(() => `c${at++}`);
    return (row: Record<string, unknown>) =>
      read(
        names.map((name) => row[name]),
        context.projectId,
      );
  });
  return {
    results: rows.slice(0, query.limit).map((row) => slots.map((slot) => slot(row))),
    columns: query.select.map(({ name }) => name),
    types: readers.map(({ type }) => type),
    hasMore: rows.length > query.limit,
    limit: query.limit,
    offset: query.offset,
  };
}

/** One row more than asked for, which tells whether there are more. */
export function eventsStatement(query: EventsQuery, context: KindContext): Fragment {
  const selected = query.select.flatMap((column) => columnReader(column).select);
  return selectFromEvents({
    projectId: context.projectId,
    select: selected.map((expression, index) => sql`${expression} as ${identifier(`c${index}`)}`),
    where: conditions(query, context),
    orderBy: order(query),
    limit: query.limit + 1,
    offset: query.offset,
  });
}

function conditions(query: EventsQuery, context: KindContext): Fragment[] {
  const after = query.after === null ? null : resolveDate(query.after, context.moment);
  const before = query.before === null ? null : resolveDate(query.before, context.moment);
  return [
    ...(after ? [sql`e.timestamp > ${instantSql(after.instant)}`] : []),
    ...(before ? [sql`e.timestamp < ${instantSql(before.instant)}`] : []),
    ...(query.event === null ? [] : [sql`e.event = ${bound('String', query.event)}`]),
    ...(query.distinctId === null ? [] : [sql`e.distinct_id = ${bound('String', query.distinctId)}`]),
    ...(query.personId === null ? [] : [sql`${PERSON_ID} = ${bound('UUID', query.personId)}`]),
    condition(query.properties, context),
    condition(query.fixedProperties, context),
    ...(query.filterTestAccounts ? [condition(context.testAccounts, context)] : []),
  ];
}

/** The uuid makes every order total, so that pages neither repeat nor miss a row. */
function order({ orderBy }: EventsQuery): Fragment[] {
  const asked = orderBy.flatMap(({ column, descending }) =>
    (columnOrder(column) ?? []).map((one) => (descending ? sql`${one} desc nulls last` : sql`${one} asc nulls last`)),
  );
  return [...asked, sql`e.uuid`];
}
