import type { ProjectContext } from '../../identity/index.js';
import type { FoundDashboard } from './find-dashboard.js';
import { shownTiles, type Tile } from './tile-view.js';
import { dashboardView } from './view.js';

/** A dashboard in full as the caller sees it; `tiles`: when they are known already. */
export async function showDashboard(context: ProjectContext, { dashboard, access }: FoundDashboard, tiles?: readonly Tile[]) {
  return dashboardView(context, access, dashboard, tiles ?? (await shownTiles(context, context.deps.db, dashboard.id)));
}
