import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { type CohortFilter, cohortListQuery } from '../../data/cohorts.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** `search`: text. `type`: static or dynamic. */
export const cohortsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/cohorts',
  validateSearch: ({ search, type }: Record<string, unknown>): CohortFilter => ({
    ...(typeof search === 'string' && search && { search }),
    ...((type === 'static' || type === 'dynamic') && { type }),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) => void queries.prefetchInfiniteQuery(cohortListQuery(params.project, deps)),
  component: lazyScreen(() => import('./CohortsScreen.js'), 'CohortsScreen'),
});
