import { sql } from 'kysely';
import type { Db } from '../../../ports/db.js';

/** What filters refer to by numbers, which differ from project to project, by name. */
export interface Names {
  cohorts: { id: number; name: string | null }[];
  flags: { id: number; key: string }[];
  group_types: { index: number; name: string }[];
}

/** All that a project has of them, in one statement; of cohorts with the same name the oldest comes first. */
export async function readNamesOf(db: Db, projectId: number): Promise<Names> {
  const { rows } = await sql<Names>`
    select
      coalesce((select json_agg(json_build_object('id', id, 'name', name) order by id) from cohorts
        where project_id = ${projectId} and not deleted), '[]') as cohorts,
      coalesce((select json_agg(json_build_object('id', id, 'key', key)) from feature_flags
        where project_id = ${projectId} and not deleted), '[]') as flags,
      coalesce((select json_agg(json_build_object('index', group_type_index, 'name', group_type)) from group_types
        where project_id = ${projectId}), '[]') as group_types`.execute(db);
  return rows[0] ?? { cohorts: [], flags: [], group_types: [] };
}
