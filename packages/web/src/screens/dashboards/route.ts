import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { dashboardsQuery } from '../../data/dashboards.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export const dashboardsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/dashboards',
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } =>
    typeof search === 'string' && search ? { search } : {},
  loader: ({ context: { queries }, params }) => void queries.prefetchQuery(dashboardsQuery(params.project)),
  component: lazyScreen(() => import('./DashboardsScreen.js'), 'DashboardsScreen'),
});
