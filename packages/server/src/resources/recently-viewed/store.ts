import { type RawBuilder, sql } from 'kysely';
import { isVisible, type Sight } from '../../http/select-page.js';
import type { Db } from '../../ports/db.js';
import type { ViewedKind } from './schema.js';

interface ViewedRow {
  kind: ViewedKind;
  id: string;
  short_id: string | null;
  name: string | null;
  last_viewed_at: Date;
}

/** One select for each kind, with the aliases of the objects `x` and the views `v`. */
const SELECTS: Record<ViewedKind, (projectId: number, userId: number) => RawBuilder<unknown>> = {
  dashboard: (projectId, userId) => sql`
    select 'dashboard' as kind, x.id::text as id, null as short_id, x.name, v.last_viewed_at
    from dashboard_views v join dashboards x on x.id = v.dashboard_id and not x.deleted
    where v.user_id = ${userId} and v.project_id = ${projectId}`,
  insight: (projectId, userId) => sql`
    select 'insight', x.id::text, x.short_id, coalesce(nullif(x.name, ''), x.derived_name), v.last_viewed_at
    from insight_views v join insights x on x.id = v.insight_id and not x.deleted
    where v.user_id = ${userId} and v.project_id = ${projectId}`,
  feature_flag: (projectId, userId) => sql`
    select 'feature_flag', x.id::text, null, x.key, v.last_viewed_at
    from feature_flag_views v join feature_flags x on x.id = v.feature_flag_id and not x.deleted
    where v.user_id = ${userId} and v.project_id = ${projectId}`,
  session_recording: (projectId, userId) => sql`
    select 'session_recording', x.session_id, null, x.start_url, v.viewed_at
    from recording_views v
      join (select r.id, r.session_id, r.start_url, r.project_id, null::integer as created_by from recordings r) x on x.id = v.recording_id
    where v.user_id = ${userId} and x.project_id = ${projectId}`,
};

/** What a user viewed last, latest first; without deleted objects and those that the access rules hide. */
export async function listViewed(
  db: Db,
  projectId: number,
  userId: number,
  sights: readonly { kind: ViewedKind; sight: Sight }[],
  limit: number,
): Promise<ViewedRow[]> {
  if (sights.length === 0) return [];
  const selects = sights.map(
    ({ kind, sight }) => sql`(${SELECTS[kind](projectId, userId)} and ${isVisible('x', sight)} order by 5 desc limit ${limit})`,
  );
  const { rows } = await sql<ViewedRow>`
    select kind, id, short_id, name, last_viewed_at from (${sql.join(selects, sql` union all `)}) as viewed (kind, id, short_id, name, last_viewed_at)
    order by last_viewed_at desc, kind, id limit ${limit}`.execute(db);
  return rows;
}
