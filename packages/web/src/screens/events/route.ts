import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** `event`: only events of this name. `f`: filters. `col`: properties that have a column. `open`: the uuid of the event that is shown whole. */
export interface EventsSearch {
  event?: string;
  f?: string[];
  col?: string[];
  open?: string;
  /** Whether the events that were refused or mended are shown. */
  refused?: true;
}

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '');

export const eventsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/events',
  validateSearch: ({ event, f, col, open, refused }: Record<string, unknown>): EventsSearch => ({
    ...(typeof event === 'string' && event && { event }),
    ...(f !== undefined && { f: texts(f) }),
    ...(texts(col).length > 0 && { col: texts(col) }),
    ...(typeof open === 'string' && { open }),
    ...((refused === true || refused === 'true') && { refused: true as const }),
  }),
  component: lazyScreen(() => import('./EventsScreen.js'), 'EventsScreen'),
});
