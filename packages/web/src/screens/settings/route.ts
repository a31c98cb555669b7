import { createRoute, redirect } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { healthQuery } from '../../data/health.js';
import { keysQuery } from '../../data/keys.js';
import { lazyScreen } from '../../ui/lazy-part.js';

const getParentRoute = () => projectRoute;

const startRoute = createRoute({
  getParentRoute,
  path: '/settings',
  beforeLoad: ({ params }) => {
    throw redirect({ to: `/p/${params.project}/settings/project` as string, replace: true });
  },
});

const generalRoute = createRoute({
  getParentRoute,
  path: '/settings/project',
  component: lazyScreen(() => import('./ProjectScreen.js'), 'ProjectScreen'),
});

export interface MembersSearch {
  /** UUID of the person whose panel is open. */
  member?: string;
  /** The panel for a new invite is open. */
  invite?: 'new';
  /** Members with access to the project, or members without; absent: all. */
  show?: 'in' | 'out';
  /** Part of a name or an e-mail address. */
  q?: string;
}

const membersRoute = createRoute({
  getParentRoute,
  path: '/settings/members',
  validateSearch: ({ member, invite, show, q }: Record<string, unknown>): MembersSearch => ({
    ...(typeof member === 'string' && { member }),
    ...(invite === 'new' && { invite }),
    ...((show === 'in' || show === 'out') && { show }),
    ...(typeof q === 'string' && { q }),
  }),
  component: lazyScreen(() => import('./MembersScreen.js'), 'MembersScreen'),
});

const accessRoute = createRoute({
  getParentRoute,
  path: '/settings/access',
  component: lazyScreen(() => import('./AccessScreen.js'), 'AccessScreen'),
});

const keysRoute = createRoute({
  getParentRoute,
  path: '/settings/keys',
  /** `key`: the open panel, for a new key or for that of the id */
  validateSearch: ({ key }: Record<string, unknown>): { key?: string } => (typeof key === 'string' ? { key } : {}),
  loader: ({ context: { queries } }) => void queries.prefetchQuery(keysQuery),
  component: lazyScreen(() => import('./KeysScreen.js'), 'KeysScreen'),
});

const testAccountsRoute = createRoute({
  getParentRoute,
  path: '/settings/test-accounts',
  component: lazyScreen(() => import('./TestAccountsScreen.js'), 'TestAccountsScreen'),
});

const captureRoute = createRoute({
  getParentRoute,
  path: '/settings/capture',
  component: lazyScreen(() => import('./CaptureScreen.js'), 'CaptureScreen'),
});

const recordingRoute = createRoute({
  getParentRoute,
  path: '/settings/recording',
  component: lazyScreen(() => import('./RecordingScreen.js'), 'RecordingScreen'),
});

const addressesRoute = createRoute({
  getParentRoute,
  path: '/settings/addresses',
  component: lazyScreen(() => import('./AddressesScreen.js'), 'AddressesScreen'),
});

const organizationRoute = createRoute({
  getParentRoute,
  path: '/settings/organization',
  component: lazyScreen(() => import('./OrganizationScreen.js'), 'OrganizationScreen'),
});

const projectsRoute = createRoute({
  getParentRoute,
  path: '/settings/projects',
  validateSearch: ({ panel }: Record<string, unknown>): { panel?: 'new' } => (panel === 'new' ? { panel } : {}),
  component: lazyScreen(() => import('./ProjectsScreen.js'), 'ProjectsScreen'),
});

const rolesRoute = createRoute({
  getParentRoute,
  path: '/settings/roles',
  /** `role`: the open panel, for a new role or for that of the id */
  validateSearch: ({ role }: Record<string, unknown>): { role?: string } => (typeof role === 'string' ? { role } : {}),
  component: lazyScreen(() => import('./RolesScreen.js'), 'RolesScreen'),
});

const healthRoute = createRoute({
  getParentRoute,
  path: '/settings/health',
  loader: ({ context: { queries } }) => void queries.prefetchQuery(healthQuery),
  component: lazyScreen(() => import('./HealthScreen.js'), 'HealthScreen'),
});

const profileRoute = createRoute({
  getParentRoute,
  path: '/settings/profile',
  component: lazyScreen(() => import('./ProfileScreen.js'), 'ProfileScreen'),
});

const securityRoute = createRoute({
  getParentRoute,
  path: '/settings/security',
  component: lazyScreen(() => import('./SecurityScreen.js'), 'SecurityScreen'),
});

export const settingsRoutes = [
  startRoute,
  generalRoute,
  membersRoute,
  accessRoute,
  keysRoute,
  testAccountsRoute,
  captureRoute,
  recordingRoute,
  addressesRoute,
  organizationRoute,
  projectsRoute,
  rolesRoute,
  healthRoute,
  profileRoute,
  securityRoute,
] as const;
