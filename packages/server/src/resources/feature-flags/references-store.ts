import { sql } from 'kysely';
import { behavioralCohorts } from '../../analytics/index.js';
import type { Db } from '../../ports/db.js';

/** A flag that is not deleted, with its dependencies. */
export interface FlagReference {
  id: number;
  key: string;
  active: boolean;
  /** The flags that its conditions depend on, by number (as text) or key. */
  depends: string[];
}

/** The objects of a project that filters of flags can refer to. */
export interface References {
  flags: FlagReference[];
  cohorts: number[];
  /** The cohorts whose conditions, or those of a cohort in them, are about behavior. */
  behavioral: ReadonlySet<number>;
  group_types: number[];
}

/** Reads these objects in one statement. */
export async function readReferences(db: Db, projectId: number): Promise<References> {
  const { rows } = await sql<Omit<References, 'behavioral'> & { made: { id: number; filters: unknown }[] }>`
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

/** Lists which of these dashboards the project does not have. */
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
