import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { insightsQuery } from '../../data/insights.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export const insightsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/insights',
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } =>
    typeof search === 'string' && search ? { search } : {},
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) =>
    void queries.prefetchInfiniteQuery(insightsQuery(params.project, deps.search)),
  component: lazyScreen(() => import('./InsightsScreen.js'), 'InsightsScreen'),
});
