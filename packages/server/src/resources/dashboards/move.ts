import type { Access } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { recordActivities } from '../activity/index.js';
import { insightsOnTiles, moveTile } from '../tiles/index.js';
import { type FoundDashboard, requireEditable } from './find-dashboard.js';
import { tileEntry } from './note.js';
import { type DashboardRow, readDashboard } from './store.js';

/**
 * Moves a tile to another dashboard that the caller may change; `insights`: their access to insights.
 * @throws ApiError not_found: no such tile or dashboard; permission_denied
 */
export async function moveToDashboard(
  context: ProjectContext,
  { dashboard: from, access }: FoundDashboard,
  tileId: number,
  toDashboard: number,
  insights: Access,
): Promise<void> {
  const { deps, project } = context;
  await inTransaction(deps.db, async (tx) => {
    const held = await holdBoth(tx, context, from.id, toDashboard);
    for (const dashboard of held) {
      access.requireOn(dashboard, 'viewer');
      requireEditable(context, { dashboard, access });
    }
    const shown = await insightsOnTiles(tx, project.id, from.id, [tileId]);
    if (shown.some((insight) => insights.levelOn(insight) === 'none')) throw new ApiError('not_found');
    if (!(await moveTile(tx, project.id, tileId, from.id, toDashboard))) throw new ApiError('not_found');
    const changes = [
      { type: 'DashboardTile', action: 'changed', field: 'dashboard', before: from.id, after: toDashboard } as const,
    ];
    await recordActivities(tx, deps, [tileEntry(context, from.id, { id: tileId, name: null }, { activity: 'moved', changes })]);
  });
}

/** Both dashboards, held in the order of their ids, so that two who move in opposite directions do not block each other. */
async function holdBoth(tx: DbTransaction, context: ProjectContext, from: number, to: number): Promise<DashboardRow[]> {
  const held: DashboardRow[] = [];
  for (const id of [...new Set([from, to])].sort((a, b) => a - b)) {
    const dashboard = await readDashboard(tx, context.project.id, id, context.principal.userId, { lock: true });
    if (!dashboard || dashboard.deleted) throw new ApiError('not_found');
    held.push(dashboard);
  }
  return held;
}
