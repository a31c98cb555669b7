import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';

/** `event`: only events of this name. `f`: filters. `open`: the uuid of the event that is shown whole. */
export interface EventsSearch {
  event?: string;
  f?: string[];
  open?: string;
}

export const eventsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/events',
  validateSearch: ({ event, f, open }: Record<string, unknown>): EventsSearch => ({
    ...(typeof event === 'string' && event && { event }),
    ...(f !== undefined && { f: (Array.isArray(f) ? f : [f]).filter((one) => typeof one === 'string') }),
    ...(typeof open === 'string' && { open }),
  }),
  component: lazyRouteComponent(() => import('./EventsScreen.js'), 'EventsScreen'),
});
