import type { Db } from '../ports/db.js';

/** Rows of one statement: a purge takes turns with what people do. */
const AT_ONCE = 500;

/** Folders of blobs whose rows are gone, some at a time. */
export const blobPurges = (db: Db) =>
  db.selectFrom('blob_purges').select('prefix').orderBy('created_at').limit(AT_ONCE).execute();

export async function blobsPurged(db: Db, prefix: string): Promise<void> {
  await db.deleteFrom('blob_purges').where('prefix', '=', prefix).execute();
}

/** Projects that are gone, and may have rows in the event store. */
export const projectPurges = (db: Db) =>
  db.selectFrom('project_purges').select(['project_id', 'created_at']).orderBy('created_at').limit(AT_ONCE).execute();

export async function projectPurged(db: Db, projectId: number): Promise<void> {
  await db.deleteFrom('project_purges').where('project_id', '=', projectId).execute();
}
