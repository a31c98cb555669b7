import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { type ExperimentStatus, experimentsQuery } from '../../data/experiments.js';
import { lazyScreen } from '../../ui/lazy-part.js';
import { type ExperimentsSearch, filterOfSearch } from './filter-of-search.js';

const STATES: readonly unknown[] = ['draft', 'running', 'paused', 'complete', 'archived'];

export const experimentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/experiments',
  validateSearch: ({ search, is }: Record<string, unknown>): ExperimentsSearch => ({
    ...(typeof search === 'string' && search && { search }),
    ...(STATES.includes(is) && { is: is as ExperimentStatus }),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) =>
    void queries.prefetchInfiniteQuery(experimentsQuery(params.project, filterOfSearch(deps))),
  component: lazyScreen(() => import('./ExperimentsScreen.js'), 'ExperimentsScreen'),
});
