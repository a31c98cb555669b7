import { type Access, accessFields } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import type { ListedDashboard } from './list-store.js';
import type { DashboardRow } from './store.js';

type Viewer = Pick<ProjectContext, 'principal' | 'level'>;

/** A dashboard as lists show it to the caller, as JSON text. */
export const itemJson = (context: Viewer, access: Access, row: ListedDashboard): string =>
  `${row.json},${JSON.stringify(accessFields(context, access, row)).slice(1)}`;

/** A dashboard in full, with its tiles as they are shown. */
export const dashboardView = <Tile>(context: Viewer, access: Access, row: DashboardRow, tiles: readonly Tile[]) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  pinned: row.pinned,
  created_at: isoTime(row.created_at),
  created_by: row.creator,
  is_shared: row.is_shared,
  deleted: row.deleted,
  creation_mode: row.creation_mode,
  use_template: row.use_template,
  use_dashboard: row.use_dashboard,
  delete_insights: row.delete_insights,
  filters: row.filters,
  variables: row.variables,
  tags: row.tags,
  tiles,
  ...accessFields(context, access, row),
});
