import { type RawBuilder, sql } from 'kysely';
import type { Ports } from '../../deps.js';
import { isObject } from '../../kernel/json.js';
import { jsonList } from '../../kernel/json-lists.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import type { GroupRow } from '../../ports/events.js';
import { cleanText } from '../storable.js';

/*
 * Every statement takes a whole batch, which may span projects: each row carries its project id.
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
 * Locks the projects, so that one server at a time assigns indexes in them; returns those that exist. Rows that reference the projects can still
 * be written.
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
  id: number;
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
 * Merges properties into groups, creates new groups, and inserts outbox entries. Returns the changed groups only; ignores groups of deleted projects
 * and changes that would exceed `maxProperties` characters.
 */
export async function upsertGroups(
  { db, scheduler }: Pick<Ports, 'db' | 'scheduler'>,
  now: number,
  maxProperties: number,
  groups: readonly GroupValues[],
): Promise<ChangedGroup[]> {
  return withOutbox(
    db,
    sql`
      ${insertion(now, await jsonList(groups, groupText, scheduler))}
      on conflict (project_id, group_type_index, group_key) do update
      set group_properties = g.group_properties || excluded.group_properties, version = g.version + 1,
        updated_at = excluded.updated_at
      where g.group_properties || excluded.group_properties <> g.group_properties
        and length((g.group_properties || excluded.group_properties)::text) <= ${maxProperties}
      returning *`,
  );
}

/** Creates a group with an outbox entry; undefined if the key exists. */
export async function insertGroup(db: Db, now: number, group: GroupValues): Promise<ChangedGroup | undefined> {
  const made = await withOutbox(
    db,
    sql`${insertion(now, `[${groupText(group)}]`)} on conflict (project_id, group_type_index, group_key) do nothing returning *`,
  );
  return made[0];
}

const groupText = ({ set, key, ...group }: GroupValues): string =>
  `${JSON.stringify({ ...group, key: cleanText(key) }).slice(0, -1)},"set":${set}}`;

/** @param groups a list of {@link groupText}: one text costs the driver less than a list of texts */
const insertion = (now: number, groups: string): RawBuilder<unknown> => sql`
  insert into groups as g (project_id, group_type_index, group_key, group_properties, version, created_at, updated_at)
  select v."projectId", v.index, v.key, v.set, ${now * 1000}::bigint, to_timestamp(v.timestamp / 1000),
    to_timestamp(${now}::float8 / 1000)
  from json_to_recordset(${groups}::json)
    as v ("projectId" int, index smallint, key text, set jsonb, timestamp float8)
  join projects on projects.id = v."projectId"
  order by v."projectId", v.index, v.key`;

export interface GroupChange {
  /** JSON text of the properties to merge. */
  set: string;
  /** Names of properties to remove. */
  unset: readonly string[];
}

/** Changes the properties of a group by its id, with an outbox entry. */
export async function updateGroup(
  db: Db,
  projectId: number,
  id: number,
  now: number,
  { set, unset }: GroupChange,
): Promise<ChangedGroup | undefined> {
  const changed = await withOutbox(
    db,
    sql`
      update groups set group_properties = (group_properties || ${set}::jsonb) - ${unset}::text[], version = version + 1,
        updated_at = to_timestamp(${now}::float8 / 1000)
      where project_id = ${projectId} and id = ${id}
      returning *`,
  );
  return changed[0];
}

/** Runs a write that returns groups, and inserts their outbox entries in the same statement. */
async function withOutbox(db: Db, write: RawBuilder<unknown>): Promise<ChangedGroup[]> {
  const { rows } = await sql<ChangedGroup>`
    with changed as (${write}), entries as (
      insert into analytics_outbox (kind, project_id, key, version)
      select 'group', project_id, group_type_index || ':' || group_key, version from changed
      returning id, project_id, key
    )
    select c.id, c.project_id, c.group_type_index, c.group_key, c.group_properties::text as properties,
      (extract(epoch from c.created_at) * 1000)::float8 as created_at, c.version, n.id as outbox_id
    from changed c
    join entries n on n.project_id = c.project_id and n.key = c.group_type_index || ':' || c.group_key`.execute(db);
  return rows;
}

/** The row of a group for the event store. */
export function groupRow(group: ChangedGroup): GroupRow {
  const properties: unknown = JSON.parse(group.properties);
  return {
    project_id: group.project_id,
    group_type_index: group.group_type_index,
    group_key: group.group_key,
    properties: isObject(properties) ? properties : {},
    created_at: group.created_at,
    version: group.version,
  };
}

/** Reads a group by its key and locks it until the transaction ends. */
export const lockGroup = (trx: DbTransaction, projectId: number, index: number, key: string) =>
  trx
    .selectFrom('groups')
    .select(['id', 'group_properties'])
    .where('project_id', '=', projectId)
    .where('group_type_index', '=', index)
    .where('group_key', '=', key)
    .forUpdate()
    .executeTakeFirst();
