import { projectRoute } from '../../identity/index.js';
import { runQuery } from '../../query/index.js';
import { bodySchema, resultSchema } from './schema.js';

export const queryRoutes = [
  projectRoute({
    method: 'POST',
    path: '/query/',
    scope: 'query:read',
    summary: 'Compute a query',
    body: bodySchema,
    status: 200,
    response: resultSchema,
    handle: async ({ deps, project, reply, body: { query } }) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const { id: projectId, timezone } = project;
      const asker = { projectId, timezone, now: deps.clock.now(), db: deps.db, signal: gone.signal };
      return { ...(await runQuery(deps.events, query, asker)), is_cached: false };
    },
  }),
];
