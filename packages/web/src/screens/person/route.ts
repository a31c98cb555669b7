import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { personQuery } from '../../data/persons.js';
import { lazyScreen } from '../../ui/lazy-part.js';

const TABS = ['flags', 'groups', 'recordings'] as const;
export type PersonTab = 'events' | (typeof TABS)[number];

/** `tab`: part of the screen; events if absent. `event`, `f`: which events the timeline has. `open`: the event or the flag that is shown whole. */
export interface PersonSearch {
  tab?: (typeof TABS)[number];
  event?: string;
  f?: string[];
  open?: string;
}

export const personRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/persons/$id',
  validateSearch: ({ tab, event, f, open }: Record<string, unknown>): PersonSearch => {
    const known = TABS.find((one) => one === tab);
    return {
      ...(known && { tab: known }),
      ...(typeof event === 'string' && event && { event }),
      ...(f !== undefined && { f: (Array.isArray(f) ? f : [f]).filter((one) => typeof one === 'string') }),
      ...(typeof open === 'string' && open && { open }),
    };
  },
  loader: ({ context: { queries }, params }) => void queries.prefetchQuery(personQuery(params.project, params.id)),
  component: lazyScreen(() => import('./PersonScreen.js'), 'PersonScreen'),
});
