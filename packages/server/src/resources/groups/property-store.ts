import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';
import type { ValuesQuery } from './schema.js';

const MAX_VALUES = 20;

/** A property, and the number of groups that have it. */
export interface PropertyCount {
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
