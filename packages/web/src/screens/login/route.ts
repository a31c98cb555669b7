import { createRoute, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.js';
import { meQuery, preflightQuery } from '../../data/session.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** A path of this app; anything else would lead people away after the log-in. */
const isOwnPath = (text: unknown): text is string => typeof text === 'string' && /^\/(?![/\\])/.test(text);

export const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => (isOwnPath(next) ? { next } : {}),
  loader: async ({ context: { queries } }) => {
    if (await queries.ensureQueryData(meQuery)) throw redirect({ to: '/' });
    const { initiated } = await queries.fetchQuery(preflightQuery);
    if (initiated === false) throw redirect({ to: '/setup' });
  },
  component: lazyScreen(() => import('./LoginScreen.js'), 'LoginScreen'),
});
