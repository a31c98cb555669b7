import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** `event`: only events of this name. `f`: filters. `open`: the uuid of the event that is shown whole. */
export interface EventsSearch {
  event?: string;
  f?: string[];
  open?: string;
  /** Whether the events that were refused or mended are shown. */
  refused?: true;
}

export const eventsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/events',
  validateSearch: ({ event, f, open, refused }: Record<string, unknown>): EventsSearch => ({
    ...(typeof event === 'string' && event && { event }),
    ...(f !== undefined && { f: (Array.isArray(f) ? f : [f]).filter((one) => typeof one === 'string') }),
    ...(typeof open === 'string' && { open }),
    ...((refused === true || refused === 'true') && { refused: true as const }),
  }),
  component: lazyScreen(() => import('./EventsScreen.js'), 'EventsScreen'),
});
