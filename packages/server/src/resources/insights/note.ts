import type { ProjectContext } from '../../identity/index.js';
import { type ActivityEntry, type Change, changesBetween } from '../activity/index.js';
import type { InsightRow } from '../tiles/index.js';

type Who = Pick<ProjectContext, 'project' | 'principal'>;

const FIELDS = [
  'name',
  'derived_name',
  'description',
  'query',
  'filters',
  'order',
  'tags',
  'favorited',
  'saved',
  'dashboards',
  'deleted',
] as const;

/** The caller did something with an insight, for the activity log. */
export const insightEntry = (
  { project, principal }: Who,
  row: InsightRow,
  activity: ActivityEntry['activity'],
  changes: readonly Change[] = [],
): ActivityEntry => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: principal.userId,
  scope: 'Insight',
  itemId: row.id,
  activity,
  detail: { name: row.name || row.derived_name, short_id: row.short_id, changes },
});

/** The caller changed an insight. */
export function updateEntry(who: Who, before: InsightRow, after: InsightRow): ActivityEntry {
  const changes = changesBetween('Insight', told(before), told(after), FIELDS);
  if (before.deleted === after.deleted) return insightEntry(who, after, 'updated', changes);
  return insightEntry(who, after, after.deleted ? 'deleted' : 'restored', changes);
}

const told = ({ places, ...row }: InsightRow) => ({ ...row, dashboards: places.map(({ id }) => id) });
