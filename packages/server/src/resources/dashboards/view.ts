import { type Access, accessFields } from '../../access/index.js';
import { isoTime } from '../../http/dates.js';
import type { ProjectContext } from '../../identity/index.js';
import type { DashboardItemRow, DashboardRow } from './store.js';

type Viewer = Pick<ProjectContext, 'principal' | 'level'>;

/** A dashboard as lists show it to the caller. */
export const itemView = (context: Viewer, access: Access, row: DashboardItemRow) => ({
  ...head(row),
  tags: row.tags,
  ...accessFields(context, access, row),
});

/** A dashboard in full, with its tiles as they are shown. */
export const dashboardView = <Tile>(context: Viewer, access: Access, row: DashboardRow, tiles: readonly Tile[]) => ({
  ...head(row),
  use_template: row.use_template,
  use_dashboard: row.use_dashboard,
  delete_insights: row.delete_insights,
  filters: row.filters,
  variables: row.variables,
  tags: row.tags,
  tiles,
  ...accessFields(context, access, row),
});

const head = (row: DashboardItemRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  pinned: row.pinned,
  created_at: isoTime(row.created_at),
  created_by: row.creator,
  is_shared: row.is_shared,
  deleted: row.deleted,
  creation_mode: row.creation_mode,
});
