import { sql } from 'kysely';
import type { Db } from '../../../ports/db.js';

/** The names of the objects that filters refer to by numbers. Numbers differ between projects. */
export interface Names {
  cohorts: { id: number; name: string | null }[];
  flags: { id: number; key: string }[];
  group_types: { index: number; name: string }[];
}

/** Reads the names of a project in one statement; among cohorts with the same name the oldest comes first. */
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
