import { createRoute, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.js';
import { preflightQuery } from '../../data/session.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  loader: async ({ context: { queries } }) => {
    const { initiated } = await queries.fetchQuery({ ...preflightQuery, staleTime: 0 });
    if (initiated) throw redirect({ to: '/login' });
  },
  component: lazyScreen(() => import('./SetupScreen.js'), 'SetupScreen'),
});
