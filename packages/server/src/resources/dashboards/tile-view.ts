import { type Access, type AccessContext, type AccessLevel, accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { insightView } from '../insights/index.js';
import { applyOverrides, type InsightResult, type QueryOverrides, type ResultLoader } from '../results/index.js';
import { type InsightRow, type TileRow, tilesOf } from '../tiles/index.js';

type Viewer = Pick<ProjectContext, 'principal' | 'level' | 'project'>;

/** A tile as responses show it. */
export type Tile = ReturnType<typeof tileView>;

/** The tiles of a dashboard that the caller may see, and their access to insights. */
export interface FoundTiles {
  rows: TileRow[];
  access: Access;
}

/** The tiles of a dashboard that the caller may see, in reading order; `insights`: their access to insights, if it is known. */
export async function findTiles(context: ProjectContext, dashboardId: number, insights?: Access): Promise<FoundTiles> {
  const [rows, access] = await readTiles(context, dashboardId, insights);
  return { rows: visible(rows, access), access };
}

/** Tiles as the caller sees them, with their results: each as soon as it is asked for, in reading order. */
export const shownTiles = (
  context: ProjectContext,
  { rows, access }: FoundTiles,
  overlay: QueryOverrides,
  results: ResultLoader,
) =>
  rows.map(async (row, order) => {
    const query = row.insight?.query ? applyOverrides(row.insight.query, overlay) : null;
    return tileView(context, access, row, order, await results.load(query));
  });

/** The tiles of a dashboard that the caller may see. */
export const visibleTiles = async (context: AccessContext, dashboardId: number): Promise<TileRow[]> =>
  visible(...(await readTiles(context, dashboardId)));

/** Whether a dashboard shows insights that are closed to the caller. */
export async function hasHiddenTiles(context: AccessContext, dashboardId: number): Promise<boolean> {
  const [rows, access] = await readTiles(context, dashboardId);
  return visible(rows, access).length < rows.length;
}

const readTiles = ({ deps, ...context }: AccessContext, id: number, insights?: Access): Promise<[TileRow[], Access]> =>
  Promise.all([
    tilesOf(deps.db, context.project.id, id, context.principal.userId),
    insights ?? accessOf({ deps, ...context }, 'insight'),
  ]);

/** Tiles without the insights that the access rules hide. */
export const visible = (rows: readonly TileRow[], insights: Access): TileRow[] =>
  rows.filter(({ insight }) => insight === null || insightLevel(insights, insight) !== 'none');

/** What the access rules leave to the caller on an insight. */
export const insightLevel = (insights: Access, { id, created_by_id }: InsightRow): AccessLevel =>
  insights.levelOn({ id, created_by: created_by_id });

function tileView(
  context: Viewer,
  insights: Access,
  { id, layouts, color, insight, text }: TileRow,
  order: number,
  { fields, error }: InsightResult,
) {
  const shown = insight && insightView(context, insights, insight, fields);
  return {
    id,
    layouts,
    color,
    order,
    insight: shown,
    text: text && { ...text, last_modified_at: isoTime(new Date(text.last_modified_at)), team: context.project.id },
    last_refresh: shown?.last_refresh ?? null,
    is_cached: shown?.is_cached ?? false,
    error: error && { type: error.body.type, code: error.code, message: error.body.detail },
  };
}
