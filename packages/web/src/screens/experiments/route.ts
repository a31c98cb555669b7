import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { type ExperimentFilter, type ExperimentStatus, experimentsQuery } from '../../data/experiments.js';

const STATUSES: readonly unknown[] = ['draft', 'running', 'paused', 'complete'];

/** `search`: text. `is`: the stage, or `archived`. */
export interface ExperimentsSearch {
  search?: string;
  is?: ExperimentStatus | 'archived';
}

export const filterOf = ({ search, is }: ExperimentsSearch): ExperimentFilter => ({
  ...(search && { search }),
  ...(is === 'archived' ? { archived: true } : is && { status: is }),
});

export const experimentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/experiments',
  validateSearch: ({ search, is }: Record<string, unknown>): ExperimentsSearch => ({
    ...(typeof search === 'string' && search && { search }),
    ...((STATUSES.includes(is) || is === 'archived') && { is: is as ExperimentStatus }),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) =>
    void queries.prefetchInfiniteQuery(experimentsQuery(params.project, filterOf(deps))),
  component: lazyRouteComponent(() => import('./ExperimentsScreen.js'), 'ExperimentsScreen'),
});
