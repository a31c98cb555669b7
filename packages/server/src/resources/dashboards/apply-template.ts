import type { Db } from '../../ports/db.js';
import type { Ids } from '../../ports/system.js';
import { insertInsights, type NewInsight } from '../insights/index.js';
import type { Template, TemplateTile } from '../templates/index.js';
import { insertTiles } from '../tiles/index.js';

type InsightTile = Extract<TemplateTile, { type: 'INSIGHT' }>;

/** Puts what a template says on a dashboard, as samples that nobody made. To be called in a transaction. */
export async function applyTemplate(
  db: Db,
  ids: Ids,
  projectId: number,
  dashboardId: number,
  { tiles }: Template,
  now: Date,
): Promise<void> {
  const insights = tiles.filter((tile) => tile.type === 'INSIGHT');
  const insightIds = await insertInsights(db, ids, projectId, insights.map(toSample), now);
  const idOf = new Map<TemplateTile, number>(insights.flatMap((tile, index) => [[tile, insightIds[index] ?? 0]]));
  const placed = tiles.map((tile) => ({
    layouts: tile.layouts,
    color: tile.color,
    ...(tile.type === 'TEXT' ? { text: { body: tile.body, created_by: null } } : { insight_id: idOf.get(tile) ?? 0 }),
  }));
  await insertTiles(db, projectId, dashboardId, placed, now);
}

const toSample = ({ name, description, query, filters }: InsightTile): NewInsight => ({
  name,
  derived_name: null,
  description,
  query,
  filters,
  order: null,
  deleted: false,
  saved: true,
  favorited: false,
  is_sample: true,
  tags: [],
  created_by: null,
});
