import type { FastifyReply } from 'fastify';
import type { ProjectContext } from '../../auth/index.js';
import { matchesEtag } from '../../http/etag.js';
import { isTruthyParameter } from '../../http/query-values.js';
import { ApiError } from '../../kernel/errors.js';
import { contentKey } from './export-job.js';
import type { ExportRow } from './store.js';

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
export const disposition = (filename: string): string =>
  `attachment; filename="${filename.replace(/[^\w. -]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;
