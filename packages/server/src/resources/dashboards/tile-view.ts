import { type Access, accessOf } from '../../access/index.js';
import { isoTime } from '../../http/dates.js';
import type { ProjectContext } from '../../identity/index.js';
import type { Db } from '../../ports/db.js';
import { insightView } from '../insights/index.js';
import { type TileRow, tilesOf } from '../tiles/index.js';

type Viewer = Pick<ProjectContext, 'principal' | 'level' | 'project'>;

/** A tile as responses show it. */
export type Tile = ReturnType<typeof tileView>;

/** The tiles of a dashboard as the caller sees them, in reading order; `db` may be a transaction. */
export async function shownTiles(context: ProjectContext, db: Db, dashboardId: number): Promise<Tile[]> {
  const [rows, access] = await readTiles(context, db, dashboardId);
  return viewTiles(context, access, rows);
}

/** The tiles of a dashboard that the caller may see. */
export async function visibleTiles(context: ProjectContext, dashboardId: number): Promise<TileRow[]> {
  const [rows, access] = await readTiles(context, context.deps.db, dashboardId);
  return rows.filter((row) => isVisible(access, row));
}

const readTiles = (context: ProjectContext, db: Db, dashboardId: number): Promise<[TileRow[], Access]> =>
  Promise.all([tilesOf(db, context.project.id, dashboardId, context.principal.userId), accessOf(context, 'insight')]);

/** Rows of tiles as the caller sees them: without the insights that the access rules hide. `insights`: their access to these. */
const viewTiles = (context: Viewer, insights: Access, rows: readonly TileRow[]): Tile[] =>
  rows.filter((row) => isVisible(insights, row)).map((row, order) => tileView(context, insights, row, order));

const isVisible = (insights: Access, { insight }: TileRow): boolean =>
  insight === null || insights.levelOn({ id: insight.id, created_by: insight.created_by_id }) !== 'none';

function tileView(context: Viewer, insights: Access, { id, layouts, color, insight, text }: TileRow, order: number) {
  const shown = insight && insightView(context, insights, insight);
  return {
    id,
    layouts,
    color,
    order,
    insight: shown,
    text: text && { ...text, last_modified_at: isoTime(new Date(text.last_modified_at)), team: context.project.id },
    last_refresh: shown?.last_refresh ?? null,
    is_cached: shown?.is_cached ?? false,
  };
}
