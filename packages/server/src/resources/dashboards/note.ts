import { type ActivityEntry, byCaller, type Caller, type Change } from '../activity/index.js';
import type { InsightName } from '../tiles/index.js';

type What = Pick<ActivityEntry, 'activity'> & { changes?: readonly Change[]; type?: string | null };

/** The caller did something with a dashboard, for the activity log. */
export const dashboardEntry = (
  caller: Caller,
  { id, name }: { id: number; name: string | null },
  { activity, ...detail }: What,
): ActivityEntry => ({ ...byCaller(caller), scope: 'Dashboard', itemId: id, activity, detail: { name, ...detail } });

/** The caller did something with a tile of a dashboard. */
export const tileEntry = (
  caller: Caller,
  dashboardId: number,
  tile: { id: number; name: string | null },
  { activity, ...detail }: What,
): ActivityEntry => ({
  ...byCaller(caller),
  scope: 'DashboardTile',
  itemId: tile.id,
  of: { resource: 'dashboard', id: dashboardId },
  activity,
  detail: { name: tile.name, ...detail },
});

/** The caller's deletion of a dashboard took an insight along. */
export const insightDeleted = (caller: Caller, insight: InsightName): ActivityEntry => ({
  ...byCaller(caller),
  scope: 'Insight',
  itemId: insight.id,
  activity: 'deleted',
  detail: { name: insight.name ?? insight.derived_name, short_id: insight.short_id },
});
