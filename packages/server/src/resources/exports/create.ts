import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { jsonColumn } from '../../http/json-column.js';
import { insertJob } from '../../jobs/index.js';
import { ApiError } from '../../kernel/errors.js';
import { byCaller, recordActivity } from '../activity/index.js';
import { findDashboard } from '../dashboards/index.js';
import { findInsight } from '../insights/index.js';
import { insightName } from './data/load-dashboard.js';
import { EXPORT_JOB } from './export-job.js';
import { exportFilename, FORMATS, type Format, isFormat } from './formats.js';
import type { ExportFields } from './schema.js';
import { type ExportRow, insertExport, readExport } from './store.js';

const DAY_MS = 86_400_000;

/** Stores an export and queues its job. @throws ApiError required, does_not_exist, invalid_input, permission_denied */
export async function createExport(context: ProjectContext, fields: ExportFields): Promise<ExportRow> {
  const { deps, project, principal } = context;
  const { dashboard: dashboardId = null, insight: insightId = null, export_context: given = null } = fields;
  if (dashboardId === null && insightId === null && Object.keys(given ?? {}).length === 0) {
    throw new ApiError('invalid_input', 'Either dashboard, insight or export_context is required for an export.');
  }
  const format = requireFormat(fields.export_format);
  const dashboard =
    dashboardId === null
      ? null
      : await requireSubject('dashboard', dashboardId, () => findDashboard(context, String(dashboardId)));
  const insight =
    insightId === null ? null : await requireSubject('insight', insightId, () => findInsight(context, String(insightId)));
  const now = new Date(deps.clock.now());
  const filename = given?.['filename'];
  const title = insight ? insightName(insight.row) : (dashboard?.row.name ?? null);
  const row = {
    dashboard_id: dashboardId,
    insight_id: insightId,
    export_format: format,
    export_context: given && jsonColumn(given),
    filename: exportFilename(typeof filename === 'string' ? filename : null, dashboard?.row.name || title, format, now),
    created_by: principal.userId,
    key_id: principal.key?.id ?? null,
    created_at: now,
    expires_after: fields.expires_after ?? defaultExpiry(format, now),
  };
  return inTransaction(deps.db, async (tx) => {
    const id = await insertExport(tx, project.id, row);
    await insertJob(tx, project.id, { kind: EXPORT_JOB, payload: { export: id }, now });
    if (insight) {
      const { id: itemId, short_id } = insight.row;
      const detail = { name: insightName(insight.row), short_id, changes: [], type: format };
      await recordActivity(tx, deps, { ...byCaller(context), scope: 'Insight', itemId, activity: 'exported', detail });
    }
    // null: an `expires_after` in the past is accepted, and the response still shows the export
    const created = await readExport(tx, project.id, id, null);
    if (!created) throw new ApiError('not_found');
    return created;
  });
}

function requireFormat(name: string): Format {
  if (isFormat(name)) return name;
  throw new ApiError('invalid_input', `Export format ${name} is not supported.`, 'export_format');
}

/** Finds the dashboard or insight to export. One that does not exist is an error of its field, not of the path (404). */
async function requireSubject<T>(attr: 'dashboard' | 'insight', id: number, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    throw new ApiError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, attr);
  }
}

/** Midnight (UTC) of the day on which exports of this format expire by default. */
function defaultExpiry(format: Format, now: Date): Date {
  const time = now.getTime() + FORMATS[format].days * DAY_MS;
  return new Date(time - (time % DAY_MS));
}
