import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { keysQuery } from '../../data/keys.js';

const getParentRoute = () => projectRoute;

const startRoute = createRoute({
  getParentRoute,
  path: '/settings',
  beforeLoad: ({ params }) => {
    throw redirect({ to: `/p/${params.project}/settings/keys` as string, replace: true });
  },
});

const keysRoute = createRoute({
  getParentRoute,
  path: '/settings/keys',
  /** `key`: the open panel, for a new key or for that of the id */
  validateSearch: ({ key }: Record<string, unknown>): { key?: string } => (typeof key === 'string' ? { key } : {}),
  loader: ({ context: { queries } }) => void queries.prefetchQuery(keysQuery),
  component: lazyRouteComponent(() => import('./KeysScreen.js'), 'KeysScreen'),
});

const profileRoute = createRoute({
  getParentRoute,
  path: '/settings/profile',
  component: lazyRouteComponent(() => import('./ProfileScreen.js'), 'ProfileScreen'),
});

const securityRoute = createRoute({
  getParentRoute,
  path: '/settings/security',
  component: lazyRouteComponent(() => import('./SecurityScreen.js'), 'SecurityScreen'),
});

export const settingsRoutes = [startRoute, keysRoute, profileRoute, securityRoute] as const;
