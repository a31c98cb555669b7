import type { Access } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { createResultLoader } from '../results/index.js';
import type { FoundDashboard } from './find-dashboard.js';
import { findTiles, shownTiles } from './tile-view.js';
import { dashboardView } from './view.js';

/**
 * A dashboard in full as the caller sees it, with results that were computed before; `insights`: their access to insights, if it is
 * known.
 */
export async function showDashboard(context: ProjectContext, { dashboard, access }: FoundDashboard, insights?: Access) {
  const { deps, project } = context;
  const tiles = await findTiles(context, dashboard.id, insights);
  const shown = shownTiles(context, tiles, dashboard, createResultLoader(deps, project, 'force_cache'));
  return dashboardView(context, access, dashboard, await Promise.all(shown));
}
