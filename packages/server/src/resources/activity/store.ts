import type { Insertable } from 'kysely';
import type { DB, Db } from '../../ports/db.js';

export async function insertActivities(db: Db, rows: readonly Insertable<DB['activity_log']>[]): Promise<void> {
  await db.insertInto('activity_log').values(rows).execute();
}
