import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.js';
import { resetQuery } from '../../data/session.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset/$token',
  loader: ({ context: { queries }, params: { token } }) => void queries.prefetchQuery(resetQuery(token)),
  component: lazyScreen(() => import('./ResetScreen.js'), 'ResetScreen'),
});
