import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.js';
import { inviteQuery, meQuery } from '../../data/session.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite/$id',
  loader: ({ context: { queries }, params: { id } }) => {
    void queries.prefetchQuery(inviteQuery(id));
    void queries.prefetchQuery(meQuery);
  },
  component: lazyScreen(() => import('./InviteScreen.js'), 'InviteScreen'),
});
