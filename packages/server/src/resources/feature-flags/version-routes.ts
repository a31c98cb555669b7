import { z } from 'zod';
import { projectRoute } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { envelope, pageParameters, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { objectId } from '../../kernel/ids.js';
import { findVisible } from './access.js';
import { flagParams, fullVersionSchema, versionPage } from './schema.js';
import { listVersions, readVersion, type VersionRow } from './versions-store.js';

/** Routes of the versions of a flag. */
export const versionRoutes = [
  projectRoute({
    method: 'GET',
    path: '/feature_flags/:id/versions/',
    params: flagParams,
    scope: 'feature_flag:read',
    summary: 'List the versions of a feature flag, newest first',
    query: z.object(pageParameters),
    status: 200,
    response: versionPage,
    load: findVisible,
    handle: async ({ deps, request, project, loaded: { row } }) => {
      const page = readPage(request);
      const rows = await listVersions(deps.db, project.id, row.id, page);
      return envelope(request, page, row.version, rows.map(versionView));
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/feature_flags/:id/versions/:version/',
    params: { ...flagParams, version: z.string().describe('Number of the version, from 1.') },
    scope: 'feature_flag:read',
    summary: 'Retrieve a feature flag as it was in one of its versions',
    status: 200,
    response: fullVersionSchema,
    load: findVisible,
    handle: async ({ deps, project, params, loaded: { row } }) => {
      const version = objectId(params['version']);
      const found = version === null ? null : await readVersion(deps.db, project.id, row.id, version);
      if (!found) throw new ApiError('not_found');
      return { ...versionView(found), flag: found.snapshot };
    },
  }),
];

const versionView = ({ version, author, created_at, is_current }: VersionRow) => ({
  version,
  created_by: author,
  created_at: isoTime(created_at),
  is_current,
});
