import { type Access, reaches, restrictionOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { changesBetween, recordActivities } from '../activity/index.js';
import { stopSharing } from '../shares/index.js';
import { deleteInsightsOnlyOn, deleteTilesOf, type InsightName, restoreTilesOf, tilesOf } from '../tiles/index.js';
import { type FoundDashboard, requireEditable } from './access.js';
import { dashboardEntry, insightDeletedEntry } from './activity.js';
import type { PatchFields } from './schema.js';
import { clearPointers, countChange, type DashboardChange, type DashboardRow, readDashboard, updateDashboard } from './store.js';
import { changeTiles } from './update-tiles.js';
import { requireVersion } from './version.js';

/** Fields whose changes the activity log records. */
const LOGGED = ['name', 'description', 'pinned', 'filters', 'variables', 'tags', 'restriction_level'] as const;

const NO_RESTRICTION_RIGHTS =
  "Only the dashboard owner and project admins have the restriction rights required to change the dashboard's restriction level.";

/** A dashboard that the caller may change, and the caller's access to insights. */
export interface EditableDashboard extends FoundDashboard {
  insights: Access;
}

/**
 * Updates a dashboard and its tiles in one transaction; `deleted` deletes and restores it.
 * @throws ApiError permission_denied, not_found (another request deleted it), and the errors of {@link changeTiles}
 */
export function patchDashboard(
  context: ProjectContext,
  { row: { id }, access, insights }: EditableDashboard,
  fields: PatchFields,
): Promise<DashboardRow> {
  const { deps, project, principal } = context;
  const now = new Date(deps.clock.now());
  return inTransaction(deps.db, async (tx) => {
    // the first check ran before the lock: another request may have deleted the dashboard or restricted it since
    const before = await readDashboard(tx, project.id, id, principal.userId, { lock: true });
    if (!before || (before.deleted && fields.deleted !== false)) throw new ApiError('not_found');
    requireEditable(context, { row: before, access });
    await requireVersion(tx, context, before);
    if (fields.restriction_level !== undefined && !restrictionOf(context, before).can_restrict) {
      throw new ApiError('permission_denied', NO_RESTRICTION_RIGHTS);
    }
    const change = toChange(fields);
    const isSame = Object.values(change).every((value) => value === undefined);
    const after = isSame ? before : { ...before, ...(await updateDashboard(tx, project.id, id, change, now)) };
    const hasTiles = Boolean(fields.tiles?.length || fields.duplicate_tiles?.length);
    const changes = changesBetween('Dashboard', before, after, LOGGED);
    await recordActivities(tx, deps, [dashboardEntry(context, after, { activity: 'updated', changes })]);
    const isRestored = before.deleted && !after.deleted;
    if (isRestored) await restore(tx, context, after, now);
    if (hasTiles) await changeTiles(tx, context, after, insights, fields, now);
    if (after.deleted && !before.deleted) await remove(tx, context, after, fields.delete_insights ? insights : null, now);
    const isChanged = hasTiles || changes.length > 0 || before.deleted !== after.deleted;
    const version = isChanged ? await countChange(tx, project.id, [id], principal.userId, now) : {};
    return { ...after, ...version, ...(isRestored ? { is_shared: false } : {}) };
  });
}

const toChange = (fields: PatchFields): DashboardChange => ({
  name: fields.name,
  description: fields.description,
  pinned: fields.pinned,
  deleted: fields.deleted,
  delete_insights: fields.delete_insights,
  filters: fields.filters,
  variables: fields.variables,
  tags: fields.tags ?? undefined,
  restriction_level: fields.restriction_level,
});

/** Restores the tiles and insights that the deletion removed. Sharing stays off, so that nothing becomes public by a restore. */
async function restore(tx: DbTransaction, context: ProjectContext, dashboard: DashboardRow, now: Date): Promise<void> {
  const insights = await restoreTilesOf(tx, context.project.id, dashboard.id, now);
  await recordActivities(tx, context.deps, [dashboardEntry(context, dashboard, { activity: 'restored' })]);
  await stopSharing(tx, context, [{ kind: 'dashboard', id: dashboard.id, name: dashboard.name, shortId: null }]);
  await stopSharing(tx, context, insights.map(sharedInsight));
}

const sharedInsight = ({ id, short_id, name, derived_name }: InsightName) =>
  ({ kind: 'insight', id, name: name || derived_name, shortId: short_id }) as const;

/** Removes what belongs to a deleted dashboard. `insights`: the caller's access to insights, which are deleted, too; null: they stay. */
async function remove(
  tx: DbTransaction,
  context: ProjectContext,
  dashboard: DashboardRow,
  insights: Access | null,
  now: Date,
): Promise<void> {
  const { deps, project } = context;
  const deleted = insights ? await deleteInsights(tx, context, dashboard, insights, now) : [];
  await deleteTilesOf(tx, project.id, dashboard.id);
  await clearPointers(tx, project.id, dashboard.id);
  await recordActivities(tx, deps, [
    dashboardEntry(context, dashboard, { activity: 'deleted' }),
    ...deleted.map((insight) => insightDeletedEntry(context, insight)),
  ]);
}

/** Deletes the insights that are on no other dashboard, except those that the caller may not change. */
async function deleteInsights(
  tx: DbTransaction,
  { project, principal }: ProjectContext,
  { id }: DashboardRow,
  insights: Access,
  now: Date,
): Promise<InsightName[]> {
  const tiles = await tilesOf(tx, project.id, id, principal.userId);
  const readOnly = tiles.flatMap(({ insight }) => (insight && !reaches(insights.levelOn(insight), 'editor') ? [insight.id] : []));
  return deleteInsightsOnlyOn(tx, project.id, id, readOnly, now);
}
