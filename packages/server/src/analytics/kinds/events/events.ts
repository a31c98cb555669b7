import type { Json } from '../../../kernel/json.js';
import { resolveDate } from '../../dates.js';
import { condition } from '../../sql/filter.js';
import { bound, every, FALSE, type Fragment, identifier, joinsOf, sql, withLimits } from '../../sql/fragment.js';
import { PERSON_ID } from '../../sql/property.js';
import { selectFromEvents } from '../../sql/source.js';
import { before, notBefore, within } from '../../sql/time.js';
import { type Execute, type Kind, type KindContext, type ListColumn, type ListResult, listResult } from '../kind.js';
import { hasUserSql, isAggregate, isExpression, type List, runList } from '../sql/write-list.js';
import { columnOrder, columnReader, type EventColumn } from './event-columns.js';
import type { EventsQuery } from './events-schema.js';

export const EVENTS: Kind<EventsQuery, ListResult> = {
  filters: ({ properties, fixedProperties, action }) => ({ properties, fixedProperties, actionId: action }),
  run: runEvents,
};

async function runEvents(query: EventsQuery, context: KindContext, execute: Execute): Promise<ListResult> {
  const search = { query, context, ids: await conditionsOnIds(query, context) };
  if (hasUserSql(query)) return runList(await userListOf(search, execute), context, execute);
  let at = 0;
  const columns = plainColumns(query).map((column): ListColumn<Record<string, Json>> => {
    const { type, select, read } = columnReader(column);
    const names = select.map(() => `c${at++}`);
    const values = (row: Record<string, Json>) => names.map((name) => row[name]);
    return { name: column.name, type, read: (row) => read(values(row), context.projectId) };
  });
  return listResult(await readRows(search, execute), columns, query);
}

const plainColumns = ({ select }: EventsQuery): EventColumn[] =>
  select.flatMap((column) => (isExpression(column) ? [] : [column]));

/** A query and what is known of its events. */
interface Search {
  query: EventsQuery;
  context: KindContext;
  /** Conditions on distinct ids, which the engine evaluates first. */
  ids: Fragment[];
}

/** The distinct ids of a person are read up to this number; with so many there may be more. */
const MAX_IDS = 100;

/** By distinct ids events are found in a tenth of the time that it takes to look up the person of each. */
async function conditionsOnIds({ distinctId, personId }: EventsQuery, { readDistinctIds }: KindContext): Promise<Fragment[]> {
  const ofPerson = personId === null ? [] : ((await readDistinctIds([personId])).get(personId) ?? []);
  const lists = [distinctId === null ? [] : [distinctId], ofPerson.length < MAX_IDS ? ofPerson : []];
  return lists
    .filter((ids) => ids.length > 0)
    .map((ids) => sql`e.distinct_hash in (select cityHash64(arrayJoin(${bound('Array(String)', ids)})))`);
}

/** The list of a query with SQL expressions. With these in columns alone, its events are found first. */
async function userListOf(search: Search, execute: Execute): Promise<List> {
  const list = listOf(search);
  const { select, where, orderBy, limit } = search.query;
  const isFound = where.length === 0 && !orderBy?.some(({ column }) => isExpression(column)) && !select.some(isAggregate);
  if (!isFound || limit > MAX_PAGE) return list;
  const filters = isOnPage(await find<Found>(search, PAGE_KEY, execute));
  return { ...list, filters, time: filters, offset: 0 };
}

/** The list of a query with SQL expressions in columns, conditions or order. */
function listOf({ query, context, ids }: Search): List {
  const { after, before } = boundsOf(query, context);
  const time = every(timeBetween(after, before));
  return {
    table: 'events',
    columns: query.select.map((column) => {
      if (isExpression(column)) return column;
      const { type, select, read } = columnReader(column);
      return { name: column.name, values: select, type, read: (values) => read(values, context.projectId) };
    }),
    filters: every([time, ...ids, ...conditions(query, context)]),
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

type Row = Record<string, Json>;

/** A list up to this long is found before its costly columns are read; the statement then names each of its events. */
const MAX_PAGE = 1_000;

/** Reads the rows of a list, and one more if there is a next page. Why in steps: docs/decisions/0095-pages-of-events.md */
async function readRows(search: Search, execute: Execute): Promise<Row[]> {
  const columns = plainColumns(search.query).flatMap((column) => columnReader(column).select);
  const select = columns.map((expression, index) => sql`${expression} as ${identifier(`c${index}`)}`);
  const isCostly = joinsOf(select).some(({ table }) => table === 'persons') || plainColumns(search.query).some(isWhole);
  if (!isCostly || search.query.limit > MAX_PAGE) return find<Row>(search, select, execute);
  const page = await find<Found>(search, PAGE_KEY, execute);
  return page.length === 0 ? [] : execute<Row>(statementOf(search, select, page));
}

/** Whether a column has all properties of an event. */
const isWhole = (column: EventColumn): boolean =>
  column.kind === 'field' && (column.field === '*' || column.field === 'properties');

const DAY = 24 * 3_600_000;
/** Newest events are looked for in the last day, then in the last 30, then in all, milliseconds. Those of few distinct ids: at once in all. */
const WINDOWS = [DAY, 30 * DAY];

/** Selects from the events of a page, and from one more if there is a next page. */
async function find<T>({ query, context, ids }: Search, select: Fragment[], execute: Execute): Promise<T[]> {
  const { after, before } = boundsOf(query, context);
  const since = (start: number | null) =>
    execute<T>(
      selectFromEvents({
        projectId: context.projectId,
        select,
        first: ids,
        where: [...timeBetween(start, before), ...conditions(query, context)],
        orderBy: order(query),
        limit: query.limit + 1,
        offset: query.offset,
      }),
    );
  const end = before ?? context.moment.now;
  const starts = isNewestFirst(query) && ids.length === 0 ? WINDOWS.map((length) => end - length) : [];
  for (const start of starts.filter((one) => one > (after ?? 0))) {
    const rows = await since(start);
    if (rows.length > query.limit) return rows;
  }
  return since(after);
}

/** An event of a page. */
interface Found {
  id: string;
  /** Epoch milliseconds. */
  at: string;
  /** Of its distinct id. */
  hash: string;
  person: string;
}

const PAGE_KEY = [
  sql`toString(e.uuid) as id`,
  sql`toUnixTimestamp64Milli(e.timestamp) as at`,
  sql`toString(e.distinct_hash) as hash`,
  sql`toString(${PERSON_ID}) as person`,
];

/** Selects from the events of a page that was found. */
function statementOf({ query, context }: Search, select: Fragment[], page: readonly Found[]): Fragment {
  return selectFromEvents({
    projectId: context.projectId,
    select,
    first: [hasHashOf(page)],
    where: [isOnPage(page)],
    orderBy: order(query),
    limit: query.limit + 1,
  });
}

const hasHashOf = (page: readonly Found[]): Fragment =>
  sql`e.distinct_hash in (select toUInt64(arrayJoin(${bound('Array(String)', unique(page.map(({ hash }) => hash)))})))`;

/** Whether an event is one of a page; its limits are the time and the persons of the page. */
function isOnPage(page: readonly Found[]): Fragment {
  if (page.length === 0) return withLimits(FALSE, { persons: FALSE });
  const times = page.map(({ at }) => Number(at));
  const uuids = bound(
    'Array(UUID)',
    page.map(({ id }) => id),
  );
  const persons = bound('Array(UUID)', unique(page.map(({ person }) => person)));
  const [from, to] = [Math.min(...times), Math.max(...times) + 1];
  const conditions = [...within({ from, to }), hasHashOf(page), sql`e.uuid in ${uuids}`];
  return withLimits(every(conditions), { from, to, persons: sql`person_id in ${persons}` });
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** Exclusive bounds of the timestamp, epoch milliseconds; null: unbounded. */
function boundsOf(query: EventsQuery, { moment }: KindContext): { after: number | null; before: number | null } {
  const instantOf = (text: string | null) => (text === null ? null : (resolveDate(text, moment)?.instant ?? null));
  return { after: instantOf(query.after), before: instantOf(query.before) };
}

const timeBetween = (start: number | null, end: number | null): Fragment[] => [
  ...(start === null ? [] : [notBefore(start + 1)]),
  ...(end === null ? [] : [before(end)]),
];

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

function isNewestFirst({ orderBy }: EventsQuery): boolean {
  const [first] = orderBy ?? [NEWEST];
  return (
    first?.descending === true && 'kind' in first.column && first.column.kind === 'field' && first.column.field === 'timestamp'
  );
}

/** Appends the uuid to make the order total, so that pages neither repeat nor miss a row. */
function order({ orderBy }: EventsQuery): Fragment[] {
  const terms = (orderBy ?? [NEWEST]).flatMap(({ column, descending }) =>
    (isExpression(column) ? [] : (columnOrder(column) ?? [])).map((one) =>
      descending ? sql`${one} desc nulls last` : sql`${one} asc nulls last`,
    ),
  );
  return [...terms, sql`e.uuid`];
}
