import type { ProjectContext } from '../../auth/index.js';
import { objectId } from '../../http/ids.js';
import { createResultLoader, disconnectSignal } from '../results/index.js';
import { type FoundDashboard, findDashboard } from './find-dashboard.js';
import { withOverrides } from './overrides.js';
import type { RetrieveQuery } from './query-schema.js';
import { type DashboardRow, stampAccess } from './store.js';
import { type FoundTiles, findTiles, shownTiles, type Tile } from './tile-view.js';
import { dashboardView } from './view.js';

/** Looks within this time of another count as one, so that reads stay reads; milliseconds. */
const ONE_LOOK_MS = 60_000;

/** The dashboard of a path segment in full. @throws ApiError as {@link findDashboard} */
export async function retrieveDashboard(context: ProjectContext, segment: string, query: RetrieveQuery) {
  const [found, tiles] = await Promise.all([findDashboard(context, segment), findTiles(context, objectId(segment) ?? 0)]);
  await noteLook(context, found.dashboard);
  const shown = await loadShown(context, found, query, tiles);
  return { ...shown.dashboard, tiles: await Promise.all(shown.tiles) };
}

/** A dashboard as a read asks for it, and its tiles, each there when its result is. */
export async function loadShown(
  context: ProjectContext,
  { dashboard, access }: FoundDashboard,
  query: RetrieveQuery,
  found?: FoundTiles,
) {
  const { deps, project, reply } = context;
  const tiles = found ?? (await findTiles(context, dashboard.id));
  const shown = withOverrides(dashboard, query);
  const results = createResultLoader(deps, project, query.refresh ?? 'force_cache', disconnectSignal(reply.raw));
  const none: Tile[] = [];
  return { dashboard: dashboardView(context, access, shown, none), tiles: shownTiles(context, tiles, shown, results) };
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
