import { z } from 'zod';
import { projectRoute } from '../../identity/index.js';
import { querySchema, runQuery } from '../../query/index.js';

const body = z.object({ query: querySchema });

export const queryRoutes = [
  projectRoute({
    method: 'POST',
    path: '/query/',
    scope: 'query:read',
    summary: 'Compute a query',
    body,
    status: 200,
    handle: async ({ deps, project, reply, body: { query } }) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const asker = { projectId: project.id, timezone: project.timezone, now: deps.clock.now(), signal: gone.signal };
      return { ...(await runQuery(deps.events, query, asker)), is_cached: false };
    },
  }),
];
