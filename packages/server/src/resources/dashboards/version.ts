import { z } from 'zod';
import { type ProjectContext, projectRoute, userSchema } from '../../auth/index.js';
import { isoTime, timeSchema } from '../../http/dates.js';
import { matchesEtag } from '../../http/response.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { findVisible } from './access.js';
import { dashboardParams } from './schema.js';
import { readVersion } from './store.js';

type Version = NonNullable<Awaited<ReturnType<typeof readVersion>>>;

/** The version as an `ETag` (RFC 9110, 8.8.3). */
export const etagOf = ({ version }: { version: number }): string => `"${version}"`;

const versionView = ({ version, last_modified_at, modifier, insights_modified_at, tiles }: Version) => ({
  version,
  last_modified_at: isoTime(last_modified_at),
  last_modified_by: modifier,
  insights_modified_at: isoTime(insights_modified_at),
  tiles,
});

/**
 * Refuses a change that `If-Match` makes for another version. To be called under the lock of the dashboard.
 * @throws ApiError conflict, with who made the present version
 */
export async function requireVersion(tx: Db, context: ProjectContext, row: { id: number; version: number }): Promise<void> {
  const expected = context.request.headers['if-match'];
  if (expected === undefined || matchesEtag(expected, etagOf(row))) return;
  const version = await readVersion(tx, context.project.id, row.id);
  const who = version?.modifier?.first_name || version?.modifier?.email || 'Somebody';
  const conflict = new ApiError('conflict', `${who} has changed this dashboard meanwhile.`);
  if (version) conflict.body.extra = versionView(version);
  throw conflict;
}

/** Routes under `/api/projects/:project_id`. */
export const versionRoutes = [
  projectRoute({
    method: 'GET',
    path: '/dashboards/:id/version/',
    scope: 'dashboard:read',
    summary: 'Retrieve the version of a dashboard and who made it',
    description:
      'Cheap, to be asked every few seconds: with the `ETag` of the last answer as `If-None-Match` an unchanged dashboard is a 304 without a body. A `PATCH` with `If-Match` is refused (409) once the version is another.',
    params: dashboardParams,
    status: 200,
    response: z.object({
      version: z.int().describe('Counts the changes of the dashboard and its tiles.'),
      last_modified_at: timeSchema('When this version was made.'),
      last_modified_by: userSchema.nullable().describe('Who made it; null: that user is gone.'),
      insights_modified_at: z.iso
        .datetime()
        .nullable()
        .describe('When the content of an insight on it last changed; null: it has none.'),
      tiles: z.int().describe('How many tiles it has. Insights are put on it and taken off without a new version, too.'),
    }),
    responses: { 304: { description: 'Nothing has changed.', schema: null } },
    errors: [403],
    load: (context) => findVisible(context),
    handle: async ({ deps, project, request, reply, loaded: { row } }) => {
      const version = await readVersion(deps.db, project.id, row.id);
      if (!version) throw new ApiError('not_found');
      const etag = `"${version.version}-${version.tiles}-${version.insights_modified_at?.getTime() ?? 0}"`;
      reply.header('etag', etag);
      const known = request.headers['if-none-match'];
      return known !== undefined && matchesEtag(known, etag) ? reply.code(304).send() : versionView(version);
    },
  }),
];
