import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { personsQuery } from '../../data/persons.js';

export const personsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/persons',
  validateSearch: ({ search }: Record<string, unknown>): { search?: string } =>
    typeof search === 'string' && search ? { search } : {},
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) => void queries.prefetchQuery(personsQuery(params.project, deps.search ?? '')),
  component: lazyRouteComponent(() => import('./PersonsScreen.js'), 'PersonsScreen'),
});
