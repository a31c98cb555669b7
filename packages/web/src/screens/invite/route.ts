import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.js';
import { inviteQuery, meQuery } from '../../data/session.js';

export const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite/$id',
  loader: ({ context: { queries }, params: { id } }) => {
    void queries.prefetchQuery(inviteQuery(id));
    void queries.prefetchQuery(meQuery);
  },
  component: lazyRouteComponent(() => import('./InviteScreen.js'), 'InviteScreen'),
});
