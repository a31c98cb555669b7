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

/** A cohort, with its conditions. */
export interface MadeCohort {
  id: number;
  filters: unknown;
}

/** Those of a project's cohorts that ask what people did or name others. */
export async function readMadeCohorts(db: Db, projectId: number): Promise<MadeCohort[]> {
  const { rows } = await sql<MadeCohort>`
    select id, filters from cohorts where project_id = ${projectId} and not deleted
      and jsonb_path_exists(filters, '$.** ? (@.type == "behavioral" || @.type == "cohort")')`.execute(db);
  return rows;
}

/** The flags whose conditions name any of these cohorts. */
export async function readFlagsNaming(db: Db, projectId: number, cohortIds: readonly number[]): Promise<UsedBy['flags']> {
  const { rows } = await sql<UsedBy['flags'][number]>`
    select id, created_by, key from feature_flags where project_id = ${projectId} and not deleted
      and exists (
        select from jsonb_path_query(filters, '$.** ? (@.type == "cohort").value') as named
        where named #>> '{}' = any (${cohortIds.map(String)}::text[])
      ) order by id`.execute(db);
  return rows;
}
