import { sql } from 'kysely';
import type { Db } from '../ports/db.js';

/** Rows of one statement. Small statements let requests run between them. */
const AT_ONCE = 500;

/** A batch of blob folders whose rows are deleted. */
export const blobPurges = (db: Db) =>
  db.selectFrom('blob_purges').select('prefix').orderBy('created_at').limit(AT_ONCE).execute();

export async function blobsPurged(db: Db, prefix: string): Promise<void> {
  await db.deleteFrom('blob_purges').where('prefix', '=', prefix).execute();
}

/** Deleted projects that may have rows in the event store. */
export const projectPurges = (db: Db) =>
  db.selectFrom('project_purges').select(['project_id', 'created_at']).orderBy('created_at').limit(AT_ONCE).execute();

export async function projectPurged(db: Db, projectId: number): Promise<void> {
  await db.deleteFrom('project_purges').where('project_id', '=', projectId).execute();
}

/** Distinct ids of one statement of the event store, and at most a row more. */
const IDS_AT_ONCE = 4_000;

interface PersonPurge {
  id: number;
  project_id: number;
  distinct_ids: string[];
  created_at: Date;
}

/** People whose events are to be deleted since before `until`, of each project as many as it can have deleted at once. */
export async function personPurges(db: Db, until: Date): Promise<PersonPurge[]> {
  const { rows } = await sql<PersonPurge>`
    select id, project_id, distinct_ids, created_at from (
      select *, sum(cardinality(distinct_ids)) over (partition by project_id order by id) as ids from person_purges
      where created_at <= ${until}
    ) due where ids - cardinality(distinct_ids) < ${IDS_AT_ONCE} order by id limit ${AT_ONCE}`.execute(db);
  return rows;
}

export async function personsPurged(db: Db, ids: readonly number[]): Promise<void> {
  await db.deleteFrom('person_purges').where('id', 'in', ids).execute();
}
