import { isoTime } from '../../../http/dates.js';
import type { Json } from '../../../kernel/json.js';
import { condition } from '../../sql/filter.js';
import { bound, every, type Fragment, identifier, some, sql, TRUE } from '../../sql/fragment.js';
import { profileColumn, property } from '../../sql/property.js';
import { contains, isNamed } from '../../sql/search.js';
import { OWN_ID, selectFromGroups, selectFromPersons } from '../../sql/source.js';
import type { FunnelActor } from '../actor.js';
import type { KindContext } from '../kind.js';
import { isExpression, type List } from '../sql/write-list.js';
import type { ActorColumn, ActorOwner, ActorsQuery, ListedActor } from './actors-schema.js';

export const ownerOf = (actor: FunnelActor): ListedActor => (actor.type === 'value' ? { type: 'value' } : actor);

/** Whether an actor has a profile besides its id. */
export const hasProfile = (owner: ListedActor): owner is ActorOwner => owner.type === 'person' || owner.type === 'group';

const idOf = (owner: ActorOwner): Fragment =>
  owner.type === 'person' ? OWN_ID : sql`${identifier(`g${owner.index}`)}.group_key`;

/** Condition: the profile matches filters and search of the query. */
const matches = ({ properties, search }: ActorsQuery, owner: ActorOwner, context: KindContext): Fragment =>
  every([condition(properties, { ...context, person: OWN_ID }), search === '' ? TRUE : found(search, owner)]);

/** SQL of a column for lists of all persons, by the field names of {@link ActorRow}. */
function valuesOfPerson(column: ActorColumn): Record<string, Fragment> {
  const owner = { type: 'person' } as const;
  if ('key' in column) return { [`value_${hex(column.key)}`]: property(owner, column.key).json };
  if (!('field' in column)) return {};
  const id = sql`toString(${OWN_ID})`;
  const created = profileColumn(owner, 'created', sql`toUnixTimestamp64Milli(created_at)`);
  const identified = profileColumn(owner, 'identified', sql`is_identified`);
  if (column.field === 'id') return { id };
  if (column.field === 'created_at') return { created };
  if (column.field === 'is_identified') return { identified };
  if (column.field === 'event_count') return { event_count: sql`toUInt64(0)` };
  return { id, created, identified, properties: profileColumn(owner, 'all_properties', sql`toJSONString(properties)`) };
}

/** Sort keys of a column for lists of all persons. */
function orderOfPerson(column: ActorColumn): Fragment[] {
  if (!('key' in column)) return Object.values(valuesOfPerson(column)).slice(0, 1);
  const { number, text } = property({ type: 'person' }, column.key);
  return [number, text];
}

/**
 * Selects the profiles that match filters and search of the query: `id`, `known` (1), `properties` (JSON), `created` (milliseconds),
 * `identified`, and value and sort keys of each requested property. `ids`: only these actors.
 */
export function profiles(
  query: ActorsQuery,
  owner: ActorOwner,
  context: KindContext,
  ids: readonly string[] | null = null,
): Fragment {
  const columns = [...query.select, ...(query.orderBy ?? []).map(({ column }) => column)].flatMap((column) =>
    'key' in column ? [column.key] : [],
  );
  const values = [...new Set(columns)].flatMap((key) => {
    const { json, number, text } = property(owner, key);
    return [sql`${json} as ${valueName(key)}`, sql`${number} as ${numberName(key)}`, sql`${text} as ${textName(key)}`];
  });
  const isPerson = owner.type === 'person';
  const select = [
    sql`${idOf(owner)} as id`,
    sql`1 as known`,
    sql`${profileColumn(owner, 'all_properties', sql`toJSONString(properties)`)} as properties`,
    sql`${profileColumn(owner, 'created', sql`toUnixTimestamp64Milli(created_at)`)} as created`,
    isPerson ? sql`${profileColumn(owner, 'identified', sql`is_identified`)} as identified` : sql`0 as identified`,
    ...values,
  ];
  const where = every([matches(query, owner, context), ids === null ? TRUE : isAmong(ids, owner)]);
  return isPerson
    ? selectFromPersons(context.projectId, select, where)
    : selectFromGroups(context.projectId, owner.index, select, where);
}

/** Bound as one array, so that the engine can use the primary key. */
function isAmong(ids: readonly string[], owner: ActorOwner): Fragment {
  const list = sql`select arrayJoin(${bound('Array(String)', ids)}) as id`;
  return owner.type === 'person' ? sql`${OWN_ID} in (select toUUID(id) from (${list}))` : sql`${idOf(owner)} in (${list})`;
}

/** Condition: the text occurs in the name, e-mail address or id. */
const found = (search: string, owner: ActorOwner): Fragment =>
  some([isNamed(search, owner), contains(sql`toString(${idOf(owner)})`, search)]);

const hex = (key: string): string => Buffer.from(key).toString('hex');
export const valueName = (key: string): Fragment => identifier(`value_${hex(key)}`);
export const numberName = (key: string): Fragment => identifier(`number_${hex(key)}`);
export const textName = (key: string): Fragment => identifier(`text_${hex(key)}`);

/** A row as selected by `actors.ts`. */
export type ActorRow = Record<string, unknown> & {
  id: string;
  known: number;
  properties: string;
  created: number;
  identified: number | boolean;
  event_count: number;
  appearances?: number[];
};

/** The value of a column. */
export function read(column: ActorColumn, row: ActorRow, owner: ListedActor): Json {
  if ('key' in column) return parsed(row[`value_${hex(column.key)}`]);
  const { appearances = [] } = row;
  if ('period' in column) return appearances.includes(column.at) ? 1 : 0;
  if (column.field === 'appearances') return appearances;
  const isKnown = row.known === 1;
  const createdAt = isKnown ? isoTime(new Date(row.created)) : null;
  if (column.field === 'id') return row.id;
  if (column.field === 'created_at') return createdAt;
  if (column.field === 'is_identified') return Boolean(row.identified);
  if (column.field === 'event_count') return row.event_count;
  if (!hasProfile(owner)) return { type: owner.type, id: row.id };
  const own = { id: row.id, properties: parsed(row.properties) ?? {}, created_at: createdAt };
  return owner.type === 'person'
    ? { type: 'person', ...own, uuid: row.id, is_identified: Boolean(row.identified) }
    : { type: 'group', ...own, group_type_index: owner.index, group_key: row.id };
}

const parsed = (text: unknown): Json => (typeof text === 'string' && text !== '' ? JSON.parse(text) : null);

/** Type name of a column in results. */
export function typeOf(column: ActorColumn): string {
  if ('key' in column) return 'Nullable(JSON)';
  if ('period' in column) return 'UInt8';
  const types = {
    appearances: 'Array(Int64)',
    actor: 'JSON',
    id: 'String',
    created_at: 'Nullable(DateTime)',
    is_identified: 'Bool',
    event_count: 'UInt64',
  };
  return types[column.field];
}

const PERSON = { type: 'person' } as const;
const CREATED = profileColumn(PERSON, 'created_at_of_person', sql`created_at`);
const EMPTY_ROW: ActorRow = { id: '', known: 1, properties: '', created: 0, identified: 0, event_count: 0 };

/** The list of all persons, with SQL expressions in columns, conditions or order. */
export const listOfPersons = (query: ActorsQuery, context: KindContext): List => ({
  table: 'persons',
  columns: query.select.map((column) => {
    if (isExpression(column)) return column;
    const fields = Object.entries(valuesOfPerson(column));
    return {
      name: column.name,
      values: fields.map(([, value]) => value),
      type: typeOf(column),
      read: (values) =>
        read(column, { ...EMPTY_ROW, ...Object.fromEntries(fields.map(([field], at) => [field, values[at]])) }, PERSON),
    };
  }),
  filters: matches(query, PERSON, context),
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
});
