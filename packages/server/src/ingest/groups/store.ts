import { sql } from 'kysely';
import type { Db, DbTransaction } from '../../ports/db.js';

/*
 * Every statement takes a whole batch, which may span projects: project ids stand beside the rows they scope.
 */

export interface GroupType {
  project_id: number;
  group_type: string;
  group_type_index: number;
}

/** All group types of the projects, by index. */
export async function findGroupTypes(db: Db, projectIds: number[]): Promise<GroupType[]> {
  return db
    .selectFrom('group_types')
    .select(['project_id', 'group_type', 'group_type_index'])
    .where('project_id', '=', sql<number>`any(${projectIds}::int[])`)
    .orderBy('group_type_index')
    .execute();
}

/**
 * Lets one server at a time give indexes in these projects; answers with those that exist. Other writes that refer to the
 * projects go on.
 */
export async function lockProjects(trx: DbTransaction, projectIds: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from projects where id = any(${projectIds}::int[]) order by id for no key update`.execute(trx);
  return rows.map((row) => row.id);
}

export async function insertGroupTypes(trx: DbTransaction, now: number, types: readonly GroupType[]): Promise<void> {
  const created_at = new Date(now);
  await trx
    .insertInto('group_types')
    .values(types.map((type) => ({ ...type, created_at })))
    .execute();
}

export interface GroupValues {
  projectId: number;
  index: number;
  key: string;
  /** JSON text. */
  set: string;
  /** Epoch milliseconds, UTC: becomes created_at of a new group. */
  timestamp: number;
}

export interface ChangedGroup {
  project_id: number;
  group_type_index: number;
  group_key: string;
  /** JSON text. */
  properties: string;
  /** Epoch milliseconds, UTC. */
  created_at: number;
  version: number;
  outbox_id: number;
}

/**
 * Puts the properties over those the groups have, makes groups that are new, and notes what the event store must get.
 * Answers with the groups that are not as before; groups of projects that are gone, and changes that would pass
 * `maxProperties` characters, are left out.
 */
export async function upsertGroups(
  db: Db,
  now: number,
  maxProperties: number,
  groups: readonly GroupValues[],
): Promise<ChangedGroup[]> {
  const { rows } = await sql<ChangedGroup>`
    with changed as (
      insert into groups as g (project_id, group_type_index, group_key, group_properties, version, created_at, updated_at)
      select v.project_id, v.index, v.key, v.set::jsonb, ${now * 1000}::bigint, to_timestamp(v.created_at / 1000),
        to_timestamp(${now}::float8 / 1000)
      from unnest(${groups.map((g) => g.projectId)}::int[], ${groups.map((g) => g.index)}::smallint[],
        ${groups.map((g) => g.key)}::text[], ${groups.map((g) => g.set)}::text[],
        ${groups.map((g) => g.timestamp)}::float8[]) as v (project_id, index, key, set, created_at)
      join projects on projects.id = v.project_id
      order by v.project_id, v.index, v.key
      on conflict (project_id, group_type_index, group_key) do update
      set group_properties = g.group_properties || excluded.group_properties, version = g.version + 1,
        updated_at = excluded.updated_at
      where g.group_properties || excluded.group_properties <> g.group_properties
        and length((g.group_properties || excluded.group_properties)::text) <= ${maxProperties}
      returning *
    ), noted as (
      insert into analytics_outbox (kind, project_id, key, version)
      select 'group', project_id, group_type_index || ':' || group_key, version from changed
      returning id, project_id, key
    )
    select c.project_id, c.group_type_index, c.group_key, c.group_properties::text as properties,
      (extract(epoch from c.created_at) * 1000)::float8 as created_at, c.version, n.id as outbox_id
    from changed c
    join noted n on n.project_id = c.project_id and n.key = c.group_type_index || ':' || c.group_key`.execute(db);
  return rows;
}
