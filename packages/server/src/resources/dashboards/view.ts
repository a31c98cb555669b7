import { type Access, accessFields } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { insightView } from '../insights/index.js';
import type { InsightResult } from '../results/index.js';
import type { TileRow } from '../tiles/index.js';
import type { DashboardItem, DashboardRow } from './store.js';

type Viewer = Pick<ProjectContext, 'principal' | 'level'>;

/** A dashboard of a list, with what `access` allows the caller. */
export const itemView = (context: Viewer, access: Access, row: DashboardItem) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  pinned: row.pinned,
  created_at: isoTime(row.created_at),
  created_by: row.creator,
  is_shared: row.is_shared,
  deleted: row.deleted,
  creation_mode: row.creation_mode,
  tags: row.tags,
  ...accessFields(context, access, row),
});

/** A dashboard in full, with the views of its tiles. */
export const dashboardView = <Tile>(context: Viewer, access: Access, row: DashboardRow, tiles: readonly Tile[]) => ({
  ...itemView(context, access, row),
  use_template: row.use_template,
  use_dashboard: row.use_dashboard,
  delete_insights: row.delete_insights,
  filters: row.filters,
  variables: row.variables,
  version: row.version,
  tiles,
});

/** A tile as responses show it. */
export type Tile = ReturnType<typeof tileView>;

/** A tile at position `order`, with the result of its insight; `insights`: the caller's access to insights. */
export function tileView(
  context: Viewer & Pick<ProjectContext, 'project'>,
  insights: Access,
  { id, layouts, color, insight, text }: TileRow,
  order: number,
  { fields, error }: InsightResult,
) {
  const view = insight && insightView(context, insights, insight, fields);
  return {
    id,
    layouts,
    color,
    order,
    insight: view,
    text: text && { ...text, last_modified_at: isoTime(new Date(text.last_modified_at)), team: context.project.id },
    last_refresh: view?.last_refresh ?? null,
    is_cached: view?.is_cached ?? false,
    error: error && { type: error.body.type, code: error.code, message: error.body.detail },
  };
}
