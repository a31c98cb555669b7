import { sql } from 'kysely';
import type { Json } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

export type SampleState = 'loading' | 'loaded' | 'removing' | 'failed';

/** An object that was made with the sample. */
export interface SampleObject {
  table: 'dashboards' | 'insights' | 'feature_flags' | 'experiments' | 'surveys';
  id: number | string;
}

export interface SampleRow {
  state: SampleState;
  seed: number;
  done: number;
  total: number;
  objects: SampleObject[];
  error: string | null;
  created_at: Date;
}

export async function readSample(db: Db, projectId: number): Promise<SampleRow | undefined> {
  const { rows } = await sql<SampleRow>`
    select state, seed, done, total, objects, error, created_at from sample_data where project_id = ${projectId}`.execute(db);
  return rows[0];
}

/** Inserts the row of a sample. @returns false: the project has one */
export async function insertSample(db: Db, projectId: number, seed: number, now: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into sample_data (project_id, state, seed, created_at, updated_at)
    values (${projectId}, 'loading', ${seed}, ${now}, ${now})
    on conflict (project_id) do nothing returning project_id`.execute(db);
  return rows.length > 0;
}

/** Sets the state of a sample that is in one of `from`. @returns whether it was */
export async function moveSample(
  db: Db,
  projectId: number,
  from: readonly SampleState[],
  { state, error = null, now }: { state: SampleState; error?: string | null; now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update sample_data set state = ${state}, error = ${error}, updated_at = ${now}
    where project_id = ${projectId} and state = any (${from}::text[]) returning project_id`.execute(db);
  return rows.length > 0;
}

/** Records how far loading is. @returns whether it is still to go on */
export async function recordProgress(
  db: Db,
  projectId: number,
  { done, total }: { done: number; total: number },
): Promise<boolean> {
  const { rows } = await sql`
    update sample_data set done = ${done}, total = ${total} where project_id = ${projectId} and state = 'loading' returning project_id`.execute(
    db,
  );
  return rows.length > 0;
}

export async function addObject(db: Db, projectId: number, object: SampleObject): Promise<void> {
  const json: Json = [{ table: object.table, id: object.id }];
  await sql`update sample_data set objects = objects || ${JSON.stringify(json)}::jsonb where project_id = ${projectId}`.execute(
    db,
  );
}

export async function deleteSample(db: Db, projectId: number): Promise<void> {
  await sql`delete from sample_data where project_id = ${projectId} and state = 'removing'`.execute(db);
}

/** Deletes the objects that were made with the sample. */
export async function deleteObjects(db: Db, projectId: number, objects: readonly SampleObject[]): Promise<void> {
  for (const { table, id } of objects) {
    // responses name a survey by its uuid
    const column = sql.ref(table === 'surveys' ? 'uuid' : 'id');
    await sql`delete from ${sql.table(table)} where project_id = ${projectId} and ${column}::text = ${String(id)}`.execute(db);
  }
}

export interface SamplePerson {
  id: number;
  uuid: string;
  isIdentified: boolean;
  createdAt: number;
}

/** A batch of the people who have one of the distinct ids. */
export async function peopleOf(
  db: Db,
  projectId: number,
  distinctIds: readonly string[],
  limit: number,
): Promise<SamplePerson[]> {
  const { rows } = await sql<SamplePerson>`
    select distinct p.id, p.uuid::text as uuid, p.is_identified as "isIdentified",
      (extract(epoch from p.created_at) * 1000)::float8 as "createdAt"
    from person_distinct_ids d join persons p on p.id = d.person_id
    where d.project_id = ${projectId} and d.distinct_id = any (${distinctIds}::text[]) limit ${limit}`.execute(db);
  return rows;
}

export interface SampleGroup {
  group_type_index: number;
  group_key: string;
  version: number;
}

/** Deletes groups by their keys. */
export async function deleteGroups(db: Db, projectId: number, keys: readonly string[]): Promise<SampleGroup[]> {
  const { rows } = await sql<SampleGroup>`
    delete from groups where project_id = ${projectId} and group_key = any (${keys}::text[])
    returning group_type_index, group_key, version`.execute(db);
  return rows;
}

/** Deletes the definitions of events that no event has any more, and of properties that nothing has. `seen`: names of the events that are left. */
export async function deleteUnusedDefinitions(
  db: Db,
  projectId: number,
  { events, seen, since }: { events: readonly string[]; seen: readonly string[]; since: Date },
): Promise<void> {
  const unused = events.filter((name) => !seen.includes(name));
  await sql`delete from event_definitions where project_id = ${projectId} and name = any (${unused}::text[])
    and created_at >= ${since}`.execute(db);
  await sql`delete from event_properties where project_id = ${projectId}
    and (event = any (${unused}::text[]) or property = '$sample')`.execute(db);
  await sql`delete from property_definitions d where project_id = ${projectId} and created_at >= ${since} and case type
    when 'event' then not exists (
      select from event_properties e where e.project_id = ${projectId} and e.property = d.name)
    when 'person' then not exists (
      select from persons p where p.project_id = ${projectId} and p.properties ? d.name)
    else not exists (
      select from groups g where g.project_id = ${projectId} and g.group_type_index = d.group_type_index
        and g.group_properties ? d.name) end`.execute(db);
}

/** Says again that a project waits for its first event. */
export async function waitForFirstEvent(db: Db, projectId: number): Promise<void> {
  await db.updateTable('projects').set({ ingested_event: false }).where('id', '=', projectId).execute();
}
