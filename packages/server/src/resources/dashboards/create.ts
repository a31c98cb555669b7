import { EVERYONE_EDITS } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import type { DbTransaction } from '../../ports/db.js';
import { recordActivity } from '../activity/index.js';
import { dashboardEntry } from './note.js';
import type { CreateFields } from './schema.js';
import { type DashboardRow, insertDashboard, type NewDashboard } from './store.js';

/** What a new dashboard starts from. */
export interface Start {
  creation_mode: NewDashboard['creation_mode'];
  /** What counts where the request says nothing. */
  defaults: Partial<Pick<NewDashboard, 'name' | 'description' | 'filters' | 'variables' | 'tags'>>;
  /** Puts tiles on the dashboard; null: it starts empty. */
  fill: ((tx: DbTransaction, dashboardId: number, now: Date) => Promise<void>) | null;
}

export const EMPTY: Start = { creation_mode: 'default', defaults: {}, fill: null };

/** Makes a dashboard as a request asks for, with its tiles: all of it or nothing. */
export function createDashboard(context: ProjectContext, fields: CreateFields, start: Start): Promise<DashboardRow> {
  const { deps, project } = context;
  const now = new Date(deps.clock.now());
  return inTransaction(deps.db, async (tx) => {
    const row = await insertDashboard(tx, project.id, toNew(context, fields, start), now);
    await start.fill?.(tx, row.id, now);
    await recordActivity(tx, deps, dashboardEntry(context, row, { activity: 'created' }));
    return row;
  });
}

const toNew = ({ principal }: ProjectContext, fields: CreateFields, { creation_mode, defaults }: Start): NewDashboard => ({
  name: (fields.name || defaults.name) ?? fields.name ?? null,
  description: fields.description ?? defaults.description ?? '',
  pinned: fields.pinned ?? false,
  deleted: fields.deleted ?? false,
  creation_mode,
  use_template: fields.use_template || null,
  use_dashboard: fields.use_dashboard || null,
  delete_insights: fields.delete_insights ?? false,
  filters: fields.filters ?? defaults.filters ?? {},
  variables: fields.variables ?? defaults.variables ?? {},
  tags: fields.tags ?? defaults.tags ?? [],
  restriction_level: fields.restriction_level ?? EVERYONE_EDITS,
  created_by: principal.userId,
});
