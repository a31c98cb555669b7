import type { ProjectContext } from '../../identity/index.js';
import type { ActivityEntry, Change } from '../activity/index.js';
import type { InsightName } from '../tiles/index.js';

type Who = Pick<ProjectContext, 'project' | 'principal'>;
type What = Pick<ActivityEntry, 'activity'> & { changes?: readonly Change[]; type?: string | null };

const head = ({ project, principal }: Who) => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: principal.userId,
});

/** The caller did something with a dashboard, for the activity log. */
export const dashboardEntry = (
  who: Who,
  { id, name }: { id: number; name: string | null },
  { activity, ...detail }: What,
): ActivityEntry => ({ ...head(who), scope: 'Dashboard', itemId: id, activity, detail: { name, ...detail } });

/** The caller did something with a tile of a dashboard. */
export const tileEntry = (
  who: Who,
  dashboardId: number,
  tile: { id: number; name: string | null },
  { activity, ...detail }: What,
): ActivityEntry => ({
  ...head(who),
  scope: 'DashboardTile',
  itemId: tile.id,
  of: { resource: 'dashboard', id: dashboardId },
  activity,
  detail: { name: tile.name, ...detail },
});

/** The caller's deletion of a dashboard took an insight along. */
export const insightDeleted = (who: Who, insight: InsightName): ActivityEntry => ({
  ...head(who),
  scope: 'Insight',
  itemId: insight.id,
  activity: 'deleted',
  detail: { name: insight.name ?? insight.derived_name, short_id: insight.short_id },
});
