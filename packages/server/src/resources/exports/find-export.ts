import { accessOf, requireResourceLevel } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { objectId } from '../../kernel/ids.js';
import { type ExportRow, readExport } from './store.js';

/**
 * The export of the path's `:id`, for the user who created it as long as they may see its dashboard and its insights.
 * @throws ApiError not_found, permission_denied
 */
export async function findExport(context: ProjectContext & { params: Record<string, string> }): Promise<ExportRow> {
  const { deps, project, principal, params } = context;
  const id = objectId(params['id']);
  const row = id === null ? null : await readExport(deps.db, project.id, id, new Date(deps.clock.now()));
  if (!row || row.created_by !== principal.userId || row.is_subject_deleted) throw new ApiError('not_found');
  await requireResourceLevel('export', 'viewer')(context);
  if (!(await maySee(context, row))) throw new ApiError('not_found');
  return row;
}

async function maySee(context: ProjectContext, row: ExportRow): Promise<boolean> {
  const [dashboards, insights] = await Promise.all([accessOf(context, 'dashboard'), accessOf(context, 'insight')]);
  const { dashboard_id, insight_id } = row;
  const shown = row.insights.every((insight) => insights.levelOn(insight) !== 'none');
  const dashboard =
    dashboard_id === null || dashboards.levelOn({ id: dashboard_id, created_by: row.dashboard_creator }) !== 'none';
  return (
    shown &&
    dashboard &&
    (insight_id === null || insights.levelOn({ id: insight_id, created_by: row.insight_creator }) !== 'none')
  );
}
