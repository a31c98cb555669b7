import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { groupQuery } from '../../data/groups.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** `tab`: part of the screen; people if absent. */
export interface GroupSearch {
  tab?: 'events' | 'groups';
}

export const groupRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/groups/$type/$key',
  params: {
    parse: ({ type, key }) => ({ type: Number(type), key }),
    stringify: ({ type, key }) => ({ type: String(type), key }),
  },
  validateSearch: ({ tab }: Record<string, unknown>): GroupSearch => (tab === 'events' || tab === 'groups' ? { tab } : {}),
  loader: ({ context: { queries }, params }) => void queries.prefetchQuery(groupQuery(params.project, params.type, params.key)),
  component: lazyScreen(() => import('./GroupScreen.js'), 'GroupScreen'),
});
