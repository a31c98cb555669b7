import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { activityLogQuery, type LogFilter } from '../../data/activity.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** `scope`: kind of object. `user`: uuid of who did it. `from`, `to`: dates. `page`: from 1. `open`: id of the entry that is shown whole. */
export interface ActivitySearch extends LogFilter {
  page?: number;
  open?: string;
}

export const activityRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/activity',
  validateSearch: ({ scope, user, from, to, page, open }: Record<string, unknown>): ActivitySearch => {
    const number = Number(page);
    return {
      ...(typeof scope === 'string' && scope && { scope }),
      ...(typeof user === 'string' && user && { user }),
      ...(typeof from === 'string' && from && { from }),
      ...(typeof to === 'string' && to && { to }),
      ...(Number.isSafeInteger(number) && number > 1 && { page: number }),
      ...(typeof open === 'string' && open && { open }),
    };
  },
  loaderDeps: ({ search: { open: _open, ...search } }) => search,
  loader: ({ context: { queries }, params, deps: { page = 1, ...filter } }) =>
    void queries.prefetchQuery(activityLogQuery(params.project, filter, page)),
  component: lazyScreen(() => import('./ActivityScreen.js'), 'ActivityScreen'),
});
