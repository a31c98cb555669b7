import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { groupTypesQuery } from '../../data/groups.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** `type`: index of the group type; the first if absent. `search`: text. `names`: whether the panel with the names of the type is open. */
export interface GroupsSearch {
  type?: number;
  search?: string;
  names?: true;
}

export const groupsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/groups',
  validateSearch: ({ type, search, names }: Record<string, unknown>): GroupsSearch => {
    const index = Number(type);
    return {
      ...(type !== undefined && Number.isSafeInteger(index) && index >= 0 && index <= 4 && { type: index }),
      ...(typeof search === 'string' && search && { search }),
      ...((names === 'true' || names === true) && { names: true }),
    };
  },
  loader: ({ context: { queries }, params }) => void queries.prefetchQuery(groupTypesQuery(params.project)),
  component: lazyScreen(() => import('./GroupsScreen.js'), 'GroupsScreen'),
});
