import { sql } from 'kysely';
import { behavioralCohorts } from '../../analytics/index.js';
import type { Db } from '../../ports/db.js';

/** A live flag, as far as others may depend on it. */
export interface KnownFlag {
  id: number;
  key: string;
  active: boolean;
  /** What its conditions name as flags: ids as text, in odd cases keys. */
  depends: string[];
}

/** What filters of a project's flags may refer to. */
export interface Known {
  flags: KnownFlag[];
  cohorts: number[];
  /** Those of them that ask what people did, themselves or through another one. */
  behavioral: ReadonlySet<number>;
  group_types: number[];
}

/** All of it, in one statement. */
export async function readKnown(db: Db, projectId: number): Promise<Known> {
  const { rows } = await sql<Omit<Known, 'behavioral'> & { made: { id: number; filters: unknown }[] }>`
    select
      coalesce((select json_agg(json_build_object('id', f.id, 'key', f.key, 'active', f.active, 'depends', (
          select coalesce(json_agg(name #>> '{}'), '[]')
          from jsonb_path_query(f.filters, '$.groups[*].properties[*] ? (@.type == "flag").key', '{}', true) name)))
        from feature_flags f where f.project_id = ${projectId} and not f.deleted), '[]') as flags,
      array(select id from cohorts where project_id = ${projectId} and not deleted) as cohorts,
      coalesce((select json_agg(json_build_object('id', id, 'filters', filters)) from cohorts
        where project_id = ${projectId} and not deleted
          and jsonb_path_exists(filters, '$.** ? (@.type == "behavioral" || @.type == "cohort")')), '[]') as made,
      array(select group_type_index from group_types where project_id = ${projectId}) as group_types`.execute(db);
  const { made, ...known } = rows[0] ?? { flags: [], cohorts: [], made: [], group_types: [] };
  return { ...known, behavioral: behavioralCohorts(made) };
}

/** Which of these dashboards the project does not have. */
export async function missingDashboards(db: Db, projectId: number, ids: readonly number[]): Promise<number[]> {
  const possible = ids.filter((id) => id > 0);
  if (possible.length === 0) return [...ids];
  const found = await db
    .selectFrom('dashboards')
    .select('id')
    .where('project_id', '=', projectId)
    .where('deleted', '=', false)
    .where((w) => w('id', '=', w.fn.any(w.val(possible))))
    .execute();
  const there = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}
