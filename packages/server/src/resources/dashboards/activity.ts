import { type ActivityEntry, byCaller, type Caller, type Change } from '../activity/index.js';
import type { InsightName } from '../tiles/index.js';

type Details = Pick<ActivityEntry, 'activity'> & { changes?: readonly Change[]; type?: string | null };

/** The entry of the activity log for something that the caller did with a dashboard. */
export const dashboardEntry = (
  caller: Caller,
  { id, name }: { id: number; name: string | null },
  { activity, ...detail }: Details,
): ActivityEntry => ({ ...byCaller(caller), scope: 'Dashboard', itemId: id, activity, detail: { name, ...detail } });

/** The entry for a tile. It names no insight: readers of the log who see the dashboard may not see the insight. */
export const tileEntry = (
  caller: Caller,
  dashboardId: number,
  tileId: number,
  { activity, ...detail }: Details,
): ActivityEntry => ({
  ...byCaller(caller),
  scope: 'DashboardTile',
  itemId: tileId,
  of: { resource: 'dashboard', id: dashboardId },
  activity,
  detail: { name: null, ...detail },
});

/** The entry for an insight that is deleted together with its dashboard. */
export const insightDeletedEntry = (caller: Caller, insight: InsightName): ActivityEntry => ({
  ...byCaller(caller),
  scope: 'Insight',
  itemId: insight.id,
  activity: 'deleted',
  detail: { name: insight.name ?? insight.derived_name, short_id: insight.short_id },
});
