import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/** Whether the project's people switched autocapture off for all of their pages. */
export async function autocaptureOptOut(db: Db, projectId: number): Promise<boolean> {
  const row = await db
    .selectFrom('projects')
    .select(sql<boolean>`coalesce(settings->'autocapture_opt_out' = 'true'::jsonb, false)`.as('off'))
    .where('id', '=', projectId)
    .executeTakeFirst();
  return row?.off ?? false;
}
