import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { alertListQuery } from '../../data/alerts.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export const alertsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/insights/alerts',
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } =>
    typeof search === 'string' && search ? { search } : {},
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) =>
    void queries.prefetchInfiniteQuery(alertListQuery(params.project, deps.search ?? '')),
  component: lazyScreen(() => import('./AlertsScreen.js'), 'AlertsScreen'),
});
