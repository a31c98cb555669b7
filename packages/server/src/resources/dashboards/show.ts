import type { Access } from '../../access/index.js';
import type { ProjectContext } from '../../identity/index.js';
import type { FoundDashboard } from './find-dashboard.js';
import { shownTiles } from './tile-view.js';
import { dashboardView } from './view.js';

/** A dashboard in full as the caller sees it; `insights`: their access to insights, if it is known. */
export const showDashboard = async (context: ProjectContext, { dashboard, access }: FoundDashboard, insights?: Access) =>
  dashboardView(context, access, dashboard, await shownTiles(context, dashboard.id, insights));
