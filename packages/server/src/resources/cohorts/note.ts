import type { ProjectContext } from '../../identity/index.js';
import { type ActivityEntry, type Change, changesBetween } from '../activity/index.js';
import type { CohortRow } from './row.js';

type Who = Pick<ProjectContext, 'project' | 'principal'>;

/** The caller did something with a cohort, for the activity log. */
export const cohortEntry = (
  { project, principal }: Who,
  row: CohortRow,
  activity: ActivityEntry['activity'],
  changes: readonly Change[] = [],
): ActivityEntry => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: principal.userId,
  scope: 'Cohort',
  itemId: row.id,
  activity,
  detail: { name: row.name, changes },
});

/** The caller changed a cohort, or who is in it. */
export function updateEntry(who: Who, before: CohortRow, after: CohortRow): ActivityEntry {
  const people = after.is_static ? (['count'] as const) : [];
  const changes = changesBetween('Cohort', before, after, ['name', 'description', 'filters', 'deleted', ...people]);
  if (before.deleted === after.deleted) return cohortEntry(who, after, 'updated', changes);
  return cohortEntry(who, after, after.deleted ? 'deleted' : 'restored', changes);
}
