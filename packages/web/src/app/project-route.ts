import { createRoute, redirect } from '@tanstack/react-router';
import { projectQuery } from '../data/project.js';
import { meQuery } from '../data/session.js';
import { lazyScreen } from '../ui/lazy-part.js';
import { NothingHere, rootRoute } from './root-route.js';
import { applyTheme, storedTheme } from './theme.js';

/** Everything of a project: `/p/7/…`. Its children are shown in the frame with the navigation. */
export const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/p/$project',
  beforeLoad: async ({ context: { queries }, location, params }) => {
    const me = await queries.ensureQueryData(meQuery);
    if (!me) throw redirect({ to: '/login', search: { next: location.href } });
    if (me.theme_mode && me.theme_mode !== storedTheme()) applyTheme(me.theme_mode);
    if (params.project === '@current' && me.team)
      throw redirect({ href: location.href.replace('/p/@current', `/p/${me.team.id}`), replace: true });
    return { me };
  },
  loader: ({ context: { queries }, params }) => queries.ensureQueryData(projectQuery(params.project)),
  component: lazyScreen(() => import('./Frame.js'), 'Frame'),
  notFoundComponent: NothingHere,
});
