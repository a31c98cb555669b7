import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { personQuery } from '../../data/persons.js';

export const personRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/persons/$id',
  loader: ({ context: { queries }, params }) => void queries.prefetchQuery(personQuery(params.project, params.id)),
  component: lazyRouteComponent(() => import('./PersonScreen.js'), 'PersonScreen'),
});
