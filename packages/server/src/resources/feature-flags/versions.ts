import { sql } from 'kysely';
import { z } from 'zod';
import { projectRoute, type User, userJson } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { envelope, pageParameters, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { objectId } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import { findVisible } from './access.js';
import { flagParams, fullVersionSchema, versionPage } from './schema.js';
import { STATE_FIELDS } from './store.js';

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

/** One version of a flag. */
interface VersionRow {
  version: number;
  author: User | null;
  created_at: Date;
  is_current: boolean;
}

const columns = sql`v.version, (select ${userJson} from users u where u.id = v.created_by) as author, v.created_at,
  v.version = f.version as is_current`;

/** Lists a page of the versions of a flag, newest first. There is one for every number up to the current version. */
async function listVersions(
  db: Db,
  projectId: number,
  flagId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select ${columns} from feature_flag_versions v join feature_flags f on f.id = v.flag_id
    where f.project_id = ${projectId} and f.id = ${flagId}
    order by v.version desc limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** Reads a version, with the flag as it was. */
async function readVersion(
  db: Db,
  projectId: number,
  flagId: number,
  version: number,
): Promise<(VersionRow & { snapshot: JsonObject }) | null> {
  const { rows } = await sql<VersionRow & { snapshot: JsonObject }>`
    select ${columns}, v.snapshot from feature_flag_versions v join feature_flags f on f.id = v.flag_id
    where f.project_id = ${projectId} and f.id = ${flagId} and v.version = ${version}`.execute(db);
  return rows[0] ?? null;
}

/** Inserts the current state of a flag as its current version. */
export async function insertVersion(db: Db, projectId: number, id: number): Promise<void> {
  const snapshot = sql.join(
    STATE_FIELDS.flatMap((field) => [sql.lit(field === 'usage_dashboard_id' ? 'usage_dashboard' : field), sql.ref(field)]),
  );
  await sql`
    insert into feature_flag_versions (flag_id, version, snapshot, created_by, created_at)
    select id, version, jsonb_build_object(${snapshot}), last_modified_by, updated_at
    from feature_flags where project_id = ${projectId} and id = ${id}`.execute(db);
}
