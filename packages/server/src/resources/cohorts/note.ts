import { type ActivityEntry, byCaller, type Caller, type Change, changesBetween, kindOfChange } from '../activity/index.js';
import type { CohortRow } from './row.js';

/** The caller did something with a cohort, for the activity log. */
export const cohortEntry = (
  caller: Caller,
  row: CohortRow,
  activity: ActivityEntry['activity'],
  changes: readonly Change[] = [],
): ActivityEntry => ({
  ...byCaller(caller),
  scope: 'Cohort',
  itemId: row.id,
  activity,
  detail: { name: row.name, changes },
});

/** The caller changed a cohort, or who is in it. */
export function updateEntry(caller: Caller, before: CohortRow, after: CohortRow): ActivityEntry {
  const people = after.is_static ? (['count'] as const) : [];
  const changes = changesBetween('Cohort', before, after, ['name', 'description', 'filters', 'deleted', ...people]);
  return cohortEntry(caller, after, kindOfChange(before, after), changes);
}
