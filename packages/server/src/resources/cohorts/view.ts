import type { Access } from '../../access/index.js';
import { isBehavioral } from '../../analytics/index.js';
import { usersById } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import type { Db } from '../../ports/db.js';
import type { CohortRow } from './store.js';

/** Cohorts as responses show them. One statement reads the creators of all. */
export async function cohortViews(db: Db, access: Access, rows: readonly CohortRow[]) {
  const creators = await usersById(
    db,
    rows.map(({ created_by }) => created_by),
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    groups: [],
    filters: row.filters,
    query: null,
    deleted: row.deleted,
    is_static: row.is_static,
    cohort_type: row.is_static ? 'static' : isBehavioral(row.filters) ? 'behavioral' : 'person_property',
    count: row.count,
    is_calculating: row.is_calculating,
    last_calculation: isoTime(row.last_calculation),
    errors_calculating: row.errors_calculating,
    version: row.version,
    experiment_set: [],
    created_by: (row.created_by !== null && creators.get(row.created_by)) || null,
    created_at: isoTime(row.created_at),
    user_access_level: access.levelOn(row),
  }));
}
