import { createRoute, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.js';
import { meQuery, preflightQuery } from '../../data/session.js';

/** `/`: leads to the current project, the log-in or the set-up. */
export const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  loader: async ({ context: { queries } }) => {
    const me = await queries.ensureQueryData(meQuery);
    if (me) throw redirect({ to: '/p/$project', params: { project: String(me.team?.id ?? '@current') }, replace: true });
    const { initiated } = await queries.fetchQuery(preflightQuery);
    throw redirect({ to: initiated === false ? '/setup' : '/login', replace: true });
  },
});
