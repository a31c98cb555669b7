import { ApiError } from '../../../kernel/errors.js';
import { isObject, type Json } from '../../../kernel/json.js';
import { type Filter, isGroup } from '../../filter.js';
import { bound, commaList, EMPTY, type Fragment, sql } from '../../sql/fragment.js';
import { FUNNELS } from '../funnels/funnels.js';
import { type Execute, type Kind, type KindContext, type ListColumn, type ListResult, listResult } from '../kind.js';
import { LIFECYCLE } from '../lifecycle/lifecycle.js';
import { PATHS } from '../paths/paths.js';
import { RETENTION } from '../retention/retention.js';
import { hasUserSql, isExpression, runList } from '../sql/write-list.js';
import { STICKINESS } from '../stickiness/stickiness.js';
import { TRENDS } from '../trends/trends.js';
import type { ActorColumn, ActorOwner, ActorsQuery, ActorsSource, ListedActor } from './actors-schema.js';
import {
  type ActorRow,
  hasProfile,
  listOfPersons,
  numberName,
  ownerOf,
  profiles,
  read,
  textName,
  typeOf,
  valueName,
} from './profile-sql.js';
import { type ActorRows, actorsBehind } from './source-sql.js';

export const ACTORS: Kind<ActorsQuery, ListResult> = { filters: filtersOf, run: runActors };

function filtersOf({ source, properties }: ActorsQuery): Record<string, Filter> {
  const own = Object.entries(source ? filtersWithin(source) : {}).map(([path, filter]) => [`source__source__${path}`, filter]);
  return { properties, ...Object.fromEntries(own) };
}

function filtersWithin(source: ActorsSource): Record<string, Filter> {
  switch (source.of) {
    case 'trends':
      return TRENDS.filters(source.query);
    case 'funnels':
      return FUNNELS.filters(source.query);
    case 'retention':
      return RETENTION.filters(source.query);
    case 'stickiness':
      return STICKINESS.filters(source.query);
    case 'lifecycle':
      return LIFECYCLE.filters(source.query);
    case 'paths':
      return PATHS.filters(source.query);
  }
}

async function runActors(query: ActorsQuery, context: KindContext, execute: Execute): Promise<ListResult> {
  const columns = query.select.map((column) => (isExpression(column) ? null : column));
  return withDistinctIds(await listActors(query, context, execute), columns, context);
}

async function listActors(query: ActorsQuery, context: KindContext, execute: Execute): Promise<ListResult> {
  if (hasUserSql(query)) return runList(listOfPersons(query, context), context, execute);
  const behind = query.source ? await actorsBehind(query.source, context, execute) : null;
  const owner = behind ? ownerOf(behind.actor) : { type: 'person' as const };
  const rows = await rowsOf(query, owner, behind, context, execute);
  const columns = query.select.flatMap((column): ListColumn<ActorRow>[] =>
    isExpression(column) ? [] : [{ name: column.name, type: typeOf(column), read: (row) => read(column, row, owner) }],
  );
  return listResult(rows, columns, query);
}

async function rowsOf(
  query: ActorsQuery,
  owner: ListedActor,
  behind: ActorRows | null,
  context: KindContext,
  execute: Execute,
): Promise<ActorRow[]> {
  if (!hasProfile(owner)) {
    if (!behind || !needsNoProfile(query)) throw new ApiError('invalid_input', NO_PROFILES, 'query__source');
    return pageFirst(query, owner, behind, context, execute);
  }
  if (behind && needsNoProfile(query)) return pageFirst(query, owner, behind, context, execute);
  return execute<ActorRow>(actorsStatement(query, owner, behind, context));
}

const NO_PROFILES = 'Sessions and values can neither be searched nor filtered, and only be ordered by id or event_count.';

/** Whether the page can be determined without person profiles. */
const needsNoProfile = (query: ActorsQuery): boolean =>
  isPlain(query) &&
  plainOrders(query).every(({ column }) => 'field' in column && (column.field === 'event_count' || column.field === 'id'));

const isPlain = ({ search, properties }: ActorsQuery): boolean => search === '' && isEmpty(properties);

/** Determines the actors of the page first, then reads only their profiles. */
async function pageFirst(
  query: ActorsQuery,
  owner: ListedActor,
  behind: ActorRows,
  context: KindContext,
  execute: Execute,
): Promise<ActorRow[]> {
  const order = commaList([...plainOrders(query).flatMap(orderOf), sql`id`]);
  const page = await execute<Pick<ActorRow, 'id' | 'event_count' | 'appearances'>>(
    sql`select toString(actor) as id, event_count${appearances(behind, EMPTY)}
      from (${behind.statement})
      order by ${order} ${pageOf(query)}`,
  );
  const ids = page.map(({ id }) => id);
  const known = !hasProfile(owner) ? [] : await execute<ActorRow>(profiles(query, owner, context, ids));
  const byId = new Map(known.map((row) => [row.id, row]));
  const nobody = { known: 0, properties: '', created: 0, identified: 0 };
  return page.map((row) => ({ ...nobody, ...byId.get(row.id), ...row }));
}

/** Selects the columns of actors behind a point of retention. */
const appearances = ({ hasAppearances }: ActorRows, table: Fragment): Fragment =>
  hasAppearances ? sql`, ${table}appearances as appearances` : EMPTY;

/** Requests one row more than the limit, which tells whether there is a next page. */
const pageOf = ({ limit, offset }: ActorsQuery): Fragment =>
  sql`limit ${bound('Int64', limit + 1)} offset ${bound('Int64', offset)}`;

function actorsStatement(query: ActorsQuery, owner: ActorOwner, behind: ActorRows | null, context: KindContext): Fragment {
  const own = profiles(query, owner, context);
  const keys = [...new Set(query.select.flatMap((column) => ('key' in column ? [column.key] : [])))];
  const values = keys.map((key) => sql`q.${valueName(key)} as ${valueName(key)}`);
  const columns = commaList([
    behind ? sql`toString(a.actor) as id` : sql`toString(q.id) as id`,
    sql`q.known as known, q.properties as properties, q.created as created, q.identified as identified`,
    behind ? sql`a.event_count as event_count` : sql`toUInt64(0) as event_count`,
    ...values,
  ]);
  // filters and search need a profile, so actors without one are dropped
  const join = isPlain(query) ? sql`global left join` : sql`global inner join`;
  const from = behind ? sql`(${behind.statement}) as a ${join} (${own}) as q on q.id = a.actor` : sql`(${own}) as q`;
  const order = commaList([...plainOrders(query).flatMap(orderOf), sql`id`]);
  const cameIn = behind ? appearances(behind, sql`a.`) : EMPTY;
  return sql`select ${columns}${cameIn} from ${from} order by ${order} ${pageOf(query)}`;
}

const isEmpty = (filter: Filter): boolean => isGroup(filter) && filter.values.every(isEmpty);

const plainOrders = ({ orderBy }: ActorsQuery): { column: ActorColumn; descending: boolean }[] =>
  (orderBy ?? []).flatMap(({ column, descending }) => (isExpression(column) ? [] : [{ column, descending }]));

function orderOf({ column, descending }: { column: ActorColumn; descending: boolean }): Fragment[] {
  const direction = descending ? sql`desc nulls last` : sql`asc nulls last`;
  return fieldsOf(column).map((field) => sql`${field} ${direction}`);
}

function fieldsOf(column: ActorColumn): Fragment[] {
  if ('key' in column) return [sql`q.${numberName(column.key)}`, sql`q.${textName(column.key)}`];
  if (!('field' in column)) return [];
  if (column.field === 'created_at') return [sql`created`];
  if (column.field === 'is_identified') return [sql`identified`];
  return [column.field === 'event_count' ? sql`event_count` : sql`id`];
}

/** Adds `distinct_ids` to the `actor` columns of a result. `columns`: null for SQL expressions. */
async function withDistinctIds(
  result: ListResult,
  columns: readonly (ActorColumn | null)[],
  { readDistinctIds }: KindContext,
): Promise<ListResult> {
  const places = columns.flatMap((column, index) => (column && 'field' in column && column.field === 'actor' ? [index] : []));
  const persons = result.results.flatMap((row) => places.map((place) => personIn(row[place])));
  const ids = persons.flatMap((person) => (person === null ? [] : [person]));
  if (ids.length === 0) return result;
  const found = await readDistinctIds([...new Set(ids)]);
  const results = result.results.map((row) =>
    row.map((value, place) => {
      const person = places.includes(place) ? personIn(value) : null;
      return person !== null && isObject(value) ? { ...value, distinct_ids: found.get(person) ?? [] } : value;
    }),
  );
  return { ...result, results };
}

const personIn = (value: Json | undefined): string | null =>
  value !== undefined && isObject(value) && value['type'] === 'person' && typeof value['uuid'] === 'string'
    ? value['uuid']
    : null;
