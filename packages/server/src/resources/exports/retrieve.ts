import type { FastifyReply } from 'fastify';
import { accessOf, requireResourceLevel } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { matchesEtag } from '../../http/response.js';
import { isTruthyParameter } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import { objectId } from '../../kernel/ids.js';
import { hiddenProfiles, queryAccessOf } from '../results/index.js';
import { contentKey } from './export-job.js';
import { type ExportRow, readExport } from './store.js';

/**
 * The export of the path's `:id`, for the user who created it as long as they may see its dashboard, its insights, its experiments and the profiles in it.
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
  const [dashboards, insights, experiments, hidden] = await Promise.all([
    accessOf(context, 'dashboard'),
    accessOf(context, 'insight'),
    accessOf(context, 'experiment'),
    hiddenProfiles(queryAccessOf(context)),
  ]);
  const { dashboard_id, insight_id } = row;
  const shown =
    ![...hidden].some((one) => row.profiles.includes(one)) &&
    row.insights.every((insight) => insights.levelOn(insight) !== 'none') &&
    row.experiments.every((experiment) => experiments.levelOn(experiment) !== 'none');
  const dashboard =
    dashboard_id === null || dashboards.levelOn({ id: dashboard_id, created_by: row.dashboard_creator }) !== 'none';
  return (
    shown &&
    dashboard &&
    (insight_id === null || insights.levelOn({ id: insight_id, created_by: row.insight_creator }) !== 'none')
  );
}

/** An export in responses. */
export const exportView = (row: ExportRow) => ({
  id: row.id,
  dashboard: row.dashboard_id,
  insight: row.insight_id,
  export_format: row.export_format,
  created_at: isoTime(row.created_at),
  has_content: row.content_size === null ? '' : 'true',
  export_context: row.export_context,
  filename: row.filename,
  expires_after: isoTime(row.expires_after),
  exception: row.exception,
  warning: row.warning,
});

/** Seconds between polls for a file that is not built yet. */
const RETRY_AFTER = 1;

/** Streams the file of an export. @throws ApiError export_failed, export_not_ready, not_found */
export async function sendContent(
  { deps, project, request, reply }: ProjectContext,
  row: ExportRow,
  download: string | undefined,
): Promise<FastifyReply> {
  if (row.exception !== null) throw new ApiError('export_failed', row.exception);
  if (row.content_size === null) throw new ApiError('export_not_ready', undefined, null, RETRY_AFTER);
  // the file of an export never changes
  const etag = `"export-${row.id}"`;
  const headers = {
    etag,
    // no-cache: access may end at any time, so browsers must revalidate; vary: another account in the same browser has its own copy
    'cache-control': 'private, no-cache',
    vary: 'Authorization, Cookie',
  };
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.headers(headers).code(304).send();
  const content = await deps.blobs.get(contentKey(project.id, row.id));
  if (!content) throw new ApiError('not_found');
  if (content.size !== row.content_size) {
    content.stream.destroy();
    throw new ApiError('export_failed', 'The stored file of this export is damaged. Export again.');
  }
  if (isTruthyParameter(download)) reply.header('content-disposition', disposition(row.filename));
  return reply
    .headers({
      ...headers,
      'content-type': row.export_format,
      'content-length': content.size,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    })
    .send(content.stream);
}

/** RFC 6266: the name in ASCII for old clients, and in UTF-8 as RFC 8187 encodes it. */
const disposition = (filename: string): string =>
  `attachment; filename="${filename.replace(/[^\w. -]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;
