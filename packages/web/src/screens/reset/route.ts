import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.js';
import { resetQuery } from '../../data/session.js';

export const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset/$token',
  loader: ({ context: { queries }, params: { token } }) => void queries.prefetchQuery(resetQuery(token)),
  component: lazyRouteComponent(() => import('./ResetScreen.js'), 'ResetScreen'),
});
