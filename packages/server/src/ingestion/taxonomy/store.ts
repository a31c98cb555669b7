import { isoPattern } from '@tidemark/flags/iso-date';
import { sql } from 'kysely';
import type { Json } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/** Limit of names of one kind (events; properties of events, persons, or a group type): more is data in the wrong place. */
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

// Rows are sorted, so that two servers cannot deadlock.
// A project at its limit gets no new names; known names are still updated.

export async function upsertEventNames(db: Db, rows: readonly EventName[]): Promise<void> {
  await sql`
    with n as (
      select distinct on (project_id, name) *
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(id uuid, project_id integer, name text, seen_at timestamptz)
      order by project_id, name, seen_at desc
    ), held as (
      select project_id, count(*) as names from event_definitions
      where project_id in (select project_id from n) group by project_id
    )
    insert into event_definitions (id, project_id, name, created_at, last_seen_at)
    select n.id, n.project_id, n.name, n.seen_at, n.seen_at
    from n
    join projects on projects.id = n.project_id
    left join held on held.project_id = n.project_id
    left join event_definitions d on d.project_id = n.project_id and d.name = n.name
    where coalesce(held.names, 0) < ${MAX_NAMES} or d.id is not null
    order by n.project_id, n.name
    on conflict (project_id, name) do update
      set last_seen_at = greatest(event_definitions.last_seen_at, excluded.last_seen_at)`.execute(db);
}

export async function upsertPropertyNames(db: Db, rows: readonly PropertyName[]): Promise<void> {
  await sql`
    with n as (
      select distinct on (project_id, type, group_type_index, name) *
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(
        id uuid, project_id integer, type text, group_type_index smallint, name text, property_type text, seen_at timestamptz)
      order by project_id, type, group_type_index, name, seen_at desc
    ), held as (
      select project_id, type, group_type_index, count(*) as names from property_definitions
      where project_id in (select project_id from n) group by project_id, type, group_type_index
    )
    insert into property_definitions
      (id, project_id, type, group_type_index, name, property_type, created_at, last_seen_at)
    select n.id, n.project_id, n.type, n.group_type_index, n.name, n.property_type, n.seen_at, n.seen_at
    from n
    join projects on projects.id = n.project_id
    left join held on held.project_id = n.project_id and held.type = n.type and held.group_type_index = n.group_type_index
    left join property_definitions d
      on d.project_id = n.project_id and d.type = n.type and d.group_type_index = n.group_type_index and d.name = n.name
    where coalesce(held.names, 0) < ${MAX_NAMES} or d.id is not null
    order by n.project_id, n.type, n.group_type_index, n.name
    on conflict (project_id, type, group_type_index, name) do update
      set last_seen_at = greatest(property_definitions.last_seen_at, excluded.last_seen_at),
          property_type = coalesce(property_definitions.property_type, excluded.property_type)`.execute(db);
}

export async function upsertEventProperties(db: Db, rows: readonly EventProperty[]): Promise<void> {
  await sql`
    with n as (
      select distinct on (project_id, event, property) *
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r(project_id integer, event text, property text, seen_at timestamptz)
      order by project_id, event, property, seen_at desc
    ), held as (
      select project_id, count(*) as pairs from event_properties
      where project_id in (select project_id from n) group by project_id
    )
    insert into event_properties (project_id, event, property, last_seen_at)
    select n.project_id, n.event, n.property, n.seen_at
    from n
    join projects on projects.id = n.project_id
    left join held on held.project_id = n.project_id
    left join event_properties d on d.project_id = n.project_id and d.event = n.event and d.property = n.property
    where coalesce(held.pairs, 0) < ${MAX_PAIRS} or d.event is not null
    order by n.project_id, n.event, n.property
    on conflict (project_id, event, property) do update
      set last_seen_at = greatest(event_properties.last_seen_at, excluded.last_seen_at)`.execute(db);
}

/** Sets `ingested_event` of the projects; skips those that have it. */
export async function markIngested(db: Db, projectIds: readonly number[]): Promise<void> {
  if (projectIds.length === 0) return;
  await db
    .updateTable('projects')
    .set({ ingested_event: true })
    .where('id', 'in', projectIds)
    .where('ingested_event', '=', false)
    .execute();
}

type PropertyType = 'String' | 'Numeric' | 'Boolean' | 'DateTime';

const DATE = isoPattern({ longFraction: true });

/** Infers the type of a property from a value; null: no inference. */
export function propertyType(value: Json): PropertyType | null {
  if (typeof value === 'number') return 'Numeric';
  if (typeof value === 'boolean') return 'Boolean';
  if (typeof value !== 'string') return null;
  if (value === 'true' || value === 'false') return 'Boolean';
  return DATE.test(value) ? 'DateTime' : 'String';
}
