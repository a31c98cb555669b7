import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/** What looks at a cohort. */
export interface UsedBy {
  flags: { id: number; created_by: number | null; key: string }[];
  cohorts: { id: number; created_by: number | null; name: string | null }[];
}

/** The flags and the other cohorts whose conditions name a cohort. */
export async function readUsedBy(db: Db, projectId: number, cohortId: number): Promise<UsedBy> {
  const names = sql`jsonb_path_exists(filters, '$.** ? (@.type == "cohort").value ? (@ == $id || @ == $text)',
    jsonb_build_object('id', ${cohortId}::int, 'text', ${String(cohortId)}::text), true)`;
  const { rows } = await sql<UsedBy>`
    select
      coalesce((select json_agg(json_build_object('id', id, 'created_by', created_by, 'key', key) order by id)
        from feature_flags where project_id = ${projectId} and not deleted and ${names}), '[]') as flags,
      coalesce((select json_agg(json_build_object('id', id, 'created_by', created_by, 'name', name) order by id)
        from cohorts where project_id = ${projectId} and not deleted and id <> ${cohortId} and ${names}), '[]') as cohorts`.execute(
    db,
  );
  return rows[0] ?? { flags: [], cohorts: [] };
}
