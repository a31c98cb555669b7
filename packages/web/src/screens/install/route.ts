import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { lazyScreen } from '../../ui/lazy-part.js';
import { PLATFORMS, type Platform } from './platforms.js';

/** `for`: the platform whose steps are shown. */
export const installRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/install',
  validateSearch: (search: Record<string, unknown>): { for?: Platform } => {
    const platform = PLATFORMS.find(({ id }) => id === search['for'])?.id;
    return platform ? { for: platform } : {};
  },
  component: lazyScreen(() => import('./InstallScreen.js'), 'InstallScreen'),
});
