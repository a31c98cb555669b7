import { z } from 'zod';
import { publicRoute } from '../../auth/index.js';
import { clientNetwork, createRateCounter } from '../../http/rate-counter.js';
import { ApiError } from '../../kernel/errors.js';
import type { Clock } from '../../ports/system.js';

/** Requests a minute from one network. The page asks every three seconds. */
const LIMIT = { limit: 60, ms: 60_000 };

/** The route of `/api/first_event`: one row of PostgreSQL by its id, whatever the caller sends. */
export function firstEventRoutes(clock: Clock) {
  const count = createRateCounter([LIMIT]);
  return [
    publicRoute({
      method: 'GET',
      path: '/',
      scope: null,
      summary: 'Say whether a project has received an event',
      description:
        'For the home page, which waits for the first one. It needs the public project API key alone, and says no more than this. At most 60 requests a minute from one network.',
      query: z.object({ token: z.string().max(64).describe('The project API key, `tmk_…`.') }),
      status: 200,
      response: z.object({ received: z.boolean().describe('Whether an event has come in.') }),
      errors: [401, 429],
      handle: async ({ deps, request, query: { token } }) => {
        const wait = count(clientNetwork(request.ip), clock.now());
        if (wait > 0) throw new ApiError('throttled', undefined, null, wait / 1000);
        const project = await deps.services.projectKeys.find(token);
        if (!project) throw new ApiError('authentication_failed', 'No project has this key.');
        const row = await deps.db.selectFrom('projects').select('ingested_event').where('id', '=', project.id).executeTakeFirst();
        return { received: row?.ingested_event ?? false };
      },
    }),
  ];
}
