import { accessOf, sightOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { covers } from '../../kernel/rights.js';
import { listQuery, VIEWED_KINDS, viewedListSchema } from './schema.js';
import { listViewed } from './store.js';

export const recentlyViewedRoutes = [
  projectRoute({
    method: 'GET',
    path: '/recently_viewed/',
    scope: 'any',
    summary: 'List the dashboards, insights, flags and recordings that you viewed last',
    description:
      'The latest first. Deleted objects and those that the access rules hide from you are left out; a key lists the kinds that its scopes let it read.',
    query: listQuery,
    status: 200,
    response: viewedListSchema,
    handle: async ({ query, ...context }) => {
      const { deps, project, principal } = context;
      const kinds = VIEWED_KINDS.filter((kind) => mayRead(context, kind));
      const sights = await Promise.all(
        kinds.map(async (kind) => ({ kind, sight: sightOf(await accessOf(context, kind), principal.userId) })),
      );
      const rows = await listViewed(deps.db, project.id, principal.userId, sights, query.limit);
      return rows.map(({ last_viewed_at, ...row }) => ({ ...row, last_viewed_at: isoTime(last_viewed_at) }));
    },
  }),
];

const mayRead = ({ principal }: ProjectContext, kind: (typeof VIEWED_KINDS)[number]): boolean =>
  principal.key === null || covers(principal.key.scopes, `${kind}:read`);
