import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export const alertsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/insights/alerts',
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } =>
    typeof search === 'string' && search ? { search } : {},
  // no loader: its code would be a part of the first load of every screen
  component: lazyScreen(() => import('./AlertsScreen.js'), 'AlertsScreen'),
});
