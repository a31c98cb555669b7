import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';
import { type InsightRow, insightJson } from '../tiles/index.js';
import type { Reader } from './store.js';

/** Notes that a user looked at an insight. */
export async function noteView(db: Db, projectId: number, insightId: number, userId: number, now: Date): Promise<void> {
  await db
    .insertInto('insight_views')
    .values({ insight_id: insightId, user_id: userId, project_id: projectId, last_viewed_at: now })
    .onConflict((conflict) => conflict.columns(['insight_id', 'user_id']).doUpdateSet({ last_viewed_at: now }))
    .execute();
}

/** The insights that a user looked at last, latest first. */
export async function lastViewed(db: Db, projectId: number, { userId, hidden }: Reader, limit: number): Promise<InsightRow[]> {
  const { rows } = await sql<{ insight: InsightRow }>`
    select ${insightJson(userId)} as insight
    from insight_views v join insights i on i.id = v.insight_id
    where v.user_id = ${userId} and v.project_id = ${projectId} and not i.deleted
      and (i.id <> all (${hidden}::int[]) or i.created_by = ${userId})
    order by v.last_viewed_at desc, i.id desc limit ${limit}`.execute(db);
  return rows.map(({ insight }) => insight);
}
