import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';
import type { PropertyType } from './property-type.js';

/** Names of one project: more than this is data that got into the names. */
const MAX_NAMES = 10_000;
const MAX_PAIRS = 50_000;

export interface EventName {
  id: string;
  project_id: number;
  name: string;
  seen_at: string;
}
export interface PropertyName {
  id: string;
  project_id: number;
  type: 'event' | 'person' | 'group';
  group_type_index: number;
  name: string;
  property_type: PropertyType | null;
  seen_at: string;
}
export interface EventProperty {
  project_id: number;
  event: string;
  property: string;
  seen_at: string;
}

// Rows go in sorted, so that two servers that meet wait for each other instead of locking each other out.
// A project that has its fill of names gets no new ones; the known ones go on being seen.

export async function upsertEventNames(db: Db, rows: readonly EventName[]): Promise<void> {
  await sql`
    insert into event_definitions (id, project_id, name, created_at, last_seen_at)
    select distinct on (n.project_id, n.name) n.id, n.project_id, n.name, n.seen_at, n.seen_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(id uuid, project_id integer, name text, seen_at timestamptz)
    join projects on projects.id = n.project_id
    where (select count(*) from event_definitions d where d.project_id = n.project_id) < ${MAX_NAMES}
       or exists (select from event_definitions d where d.project_id = n.project_id and d.name = n.name)
    order by n.project_id, n.name
    on conflict (project_id, name) do update
      set last_seen_at = greatest(event_definitions.last_seen_at, excluded.last_seen_at)`.execute(db);
}

export async function upsertPropertyNames(db: Db, rows: readonly PropertyName[]): Promise<void> {
  await sql`
    insert into property_definitions
      (id, project_id, type, group_type_index, name, property_type, created_at, last_seen_at)
    select distinct on (n.project_id, n.type, n.group_type_index, n.name)
      n.id, n.project_id, n.type, n.group_type_index, n.name, n.property_type, n.seen_at, n.seen_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as n(id uuid, project_id integer, type text, group_type_index smallint, name text, property_type text, seen_at timestamptz)
    join projects on projects.id = n.project_id
    where (select count(*) from property_definitions d where d.project_id = n.project_id) < ${MAX_NAMES}
       or exists (
         select from property_definitions d
         where d.project_id = n.project_id and d.type = n.type and d.group_type_index = n.group_type_index and d.name = n.name
       )
    order by n.project_id, n.type, n.group_type_index, n.name
    on conflict (project_id, type, group_type_index, name) do update
      set last_seen_at = greatest(property_definitions.last_seen_at, excluded.last_seen_at),
          property_type = coalesce(property_definitions.property_type, excluded.property_type)`.execute(db);
}

export async function upsertEventProperties(db: Db, rows: readonly EventProperty[]): Promise<void> {
  await sql`
    insert into event_properties (project_id, event, property, last_seen_at)
    select distinct on (n.project_id, n.event, n.property) n.project_id, n.event, n.property, n.seen_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(project_id integer, event text, property text, seen_at timestamptz)
    join projects on projects.id = n.project_id
    where (select count(*) from event_properties d where d.project_id = n.project_id) < ${MAX_PAIRS}
       or exists (
         select from event_properties d
         where d.project_id = n.project_id and d.event = n.event and d.property = n.property
       )
    order by n.project_id, n.event, n.property
    on conflict (project_id, event, property) do update
      set last_seen_at = greatest(event_properties.last_seen_at, excluded.last_seen_at)`.execute(db);
}

/** Says of the projects that they got an event; projects of which it is known are not written again. */
export async function markIngested(db: Db, projectIds: readonly number[]): Promise<void> {
  if (projectIds.length === 0) return;
  await db
    .updateTable('projects')
    .set({ ingested_event: true })
    .where('id', 'in', projectIds)
    .where('ingested_event', '=', false)
    .execute();
}
