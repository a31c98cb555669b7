import { type RawBuilder, sql } from 'kysely';
import { CURSOR_PAGE, type Cursor } from '../../http/pagination.js';
import type { Db } from '../../ports/db.js';
import type { ListQuery, ValuesQuery } from './schema.js';

const columns = ['id', 'group_type_index', 'group_key', 'group_properties', 'created_at'] as const;

/** A row of the table `groups`. */
export interface StoredGroup {
  id: number;
  group_type_index: number;
  group_key: string;
  group_properties: unknown;
  created_at: Date;
}

/** The position of a group in a list, which is sorted by time, newest first, then by key. */
export interface Place {
  /** Epoch milliseconds, UTC. */
  createdAt: number;
  key: string;
}

/** Lists a page of the groups of a type and one more group, in the direction of the cursor. */
export async function listGroups(
  db: Db,
  projectId: number,
  query: ListQuery,
  cursor: Cursor<Place> | null,
): Promise<StoredGroup[]> {
  return (await pageStatement(projectId, query, cursor).execute(db)).rows;
}

/**
 * The statement of {@link listGroups}. It reads two ranges of the index, the groups with the time of the cursor and those beyond it, so
 * that a page costs the same however many groups share a time.
 */
export function pageStatement(projectId: number, query: ListQuery, cursor: Cursor<Place> | null): RawBuilder<StoredGroup> {
  const forward = cursor?.direction !== 'previous';
  const order = forward ? sql`created_at desc, group_key` : sql`created_at, group_key desc`;
  const end = sql`order by ${order} limit ${CURSOR_PAGE + 1}`;
  const range = (condition: RawBuilder<unknown>) => sql<StoredGroup>`(
    select ${sql.join(columns.map((column) => sql.ref(column)))} from groups
    where project_id = ${projectId} and group_type_index = ${query.group_type_index}::int and ${matching(query)} and ${condition}
    ${end})`;
  if (!cursor) return range(sql`true`);
  const { createdAt, key } = cursor.place;
  const at = sql`${new Date(createdAt)}::timestamptz`;
  const [rest, beyond] = forward
    ? [sql`group_key > ${key}`, sql`created_at < ${at}`]
    : [sql`group_key <= ${key}`, sql`created_at > ${at}`];
  return sql<StoredGroup>`${range(sql`created_at = ${at} and ${rest}`)} union all ${range(beyond)} ${end}`;
}

function matching({ search, group_key: key }: ListQuery): RawBuilder<unknown> {
  const text = search?.trim();
  const conditions = [
    ...(key ? [sql`position(lower(${key}) in lower(group_key)) > 0`] : []),
    ...(text ? [sql`(lower(group_key) = lower(${text}) or ${valueContains(text)})`] : []),
  ];
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
}

/** Searches the whole JSON text first, which most groups do not match, and then its values. */
const valueContains = (text: string): RawBuilder<unknown> => sql`(
  position(lower(${JSON.stringify(text).slice(1, -1)}) in lower(group_properties::text)) > 0
  and exists (
    select from jsonb_path_query(group_properties, 'strict $.**') as value
    where jsonb_typeof(value) in ('string', 'number', 'boolean') and position(lower(${text}) in lower(value #>> '{}')) > 0
  ))`;

/** Reads a group by its key. */
export const findGroup = (db: Db, projectId: number, index: number, key: string): Promise<StoredGroup | undefined> =>
  db
    .selectFrom('groups')
    .select(columns)
    .where('project_id', '=', projectId)
    .where('group_type_index', '=', sql<number>`${index}::int`)
    .where('group_key', '=', key)
    .executeTakeFirst();

/** Reads groups by their keys, which are mapped by group type index. Unknown ones are left out. */
export async function findGroups(
  db: Db,
  projectId: number,
  keys: ReadonlyMap<number, readonly string[]>,
): Promise<StoredGroup[]> {
  const pairs = [...keys].flatMap(([index, own]) => own.map((key) => ({ index, key })));
  if (pairs.length === 0) return [];
  const { rows } = await sql<StoredGroup>`
    select g.id, g.group_type_index, g.group_key, g.group_properties, g.created_at
    from unnest(${pairs.map(({ index }) => index)}::smallint[], ${pairs.map(({ key }) => key)}::text[]) as requested (index, key)
    join groups as g on g.project_id = ${projectId} and g.group_type_index = requested.index and g.group_key = requested.key
    order by g.group_type_index, g.group_key`.execute(db);
  return rows;
}

const MAX_VALUES = 20;

/** A property, and the number of groups that have it. */
interface PropertyCount {
  name: string;
  count: number;
}

/** Counts the properties of groups, by group type index as text, the most common first. */
export async function countProperties(db: Db, projectId: number): Promise<Record<string, PropertyCount[]>> {
  const { rows } = await sql<{ group_type_index: number; properties: PropertyCount[] }>`
    select group_type_index, json_agg(json_build_object('name', name, 'count', count) order by count desc, name) as properties
    from (
      select group_type_index, name, count(*) as count
      from groups, jsonb_object_keys(group_properties) as name
      where project_id = ${projectId}
      group by group_type_index, name
    ) as counted
    group by group_type_index
    order by group_type_index`.execute(db);
  return Object.fromEntries(rows.map((row) => [String(row.group_type_index), row.properties]));
}

/** Lists the most common values of a property as text, sorted. */
export async function commonValues(db: Db, projectId: number, query: ValuesQuery): Promise<string[]> {
  const containing = query.value ? sql`position(lower(${query.value}) in lower(value)) > 0` : sql`true`;
  const { rows } = await sql<{ value: string }>`
    select value from (
      select value, count(*) as count
      from groups, lateral (select group_properties ->> ${query.key}::text as value) as property
      where project_id = ${projectId} and group_type_index = ${query.group_type_index}::int and value <> '' and ${containing}
      group by value
      order by count desc, value
      limit ${MAX_VALUES}
    ) as common
    order by value`.execute(db);
  return rows.map((row) => row.value);
}
