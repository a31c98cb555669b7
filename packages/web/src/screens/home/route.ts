import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export const homeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  component: lazyScreen(() => import('./HomeScreen.js'), 'HomeScreen'),
});
