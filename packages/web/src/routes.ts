import { projectRoute } from './app/project-route.js';
import { rootRoute } from './app/root-route.js';
import { homeRoute } from './screens/home/route.js';
import { inviteRoute } from './screens/invite/route.js';
import { loginRoute } from './screens/login/route.js';
import { settingsRoutes } from './screens/settings/route.js';
import { setupRoute } from './screens/setup/route.js';
import { startRoute } from './screens/start/route.js';

/** Every screen of the app, by its address. Each line's module says what its address means. */
export const routeTree = rootRoute.addChildren([
  startRoute,
  setupRoute,
  loginRoute,
  inviteRoute,
  projectRoute.addChildren([homeRoute, ...settingsRoutes]),
]);
