import { objectId } from '../../http/object-id.js';
import type { ProjectContext } from '../../identity/index.js';
import { findDashboard } from './find-dashboard.js';
import { withOverrides } from './overrides.js';
import type { RetrieveQuery } from './query-schema.js';
import { type DashboardRow, stampAccess } from './store.js';
import { shownTiles } from './tile-view.js';
import { dashboardView } from './view.js';

/** Looks within this time of another count as one, so that reads stay reads; milliseconds. */
const ONE_LOOK_MS = 60_000;

/** The dashboard of a path segment in full. @throws ApiError as {@link findDashboard} */
export async function retrieveDashboard(context: ProjectContext, segment: string, query: RetrieveQuery) {
  const [{ dashboard, access }, tiles] = await Promise.all([
    findDashboard(context, segment),
    shownTiles(context, objectId(segment) ?? 0),
  ]);
  await noteLook(context, dashboard);
  return dashboardView(context, access, withOverrides(dashboard, query), tiles);
}

async function noteLook({ deps, project }: ProjectContext, { id, last_accessed_at: last }: DashboardRow): Promise<void> {
  const now = deps.clock.now();
  if (last && now - last.getTime() < ONE_LOOK_MS) return;
  try {
    await stampAccess(deps.db, project.id, id, new Date(now));
  } catch (error) {
    // reads must go on when nothing can be written
    deps.log.warn({ err: error }, 'a look at a dashboard could not be noted');
  }
}
