import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { earlyAccessQuery } from '../../data/early-access.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** `search`: text. `new`: the panel that makes one is open. */
export interface EarlyAccessSearch {
  search?: string;
  new?: '1';
}

export const earlyAccessRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/flags/early-access',
  validateSearch: ({ search, new: isNew }: Record<string, unknown>): EarlyAccessSearch => ({
    ...(typeof search === 'string' && search && { search }),
    ...(isNew === '1' && { new: '1' }),
  }),
  loader: ({ context: { queries }, params }) => void queries.prefetchQuery(earlyAccessQuery(params.project)),
  component: lazyScreen(() => import('./EarlyAccessScreen.js'), 'EarlyAccessScreen'),
});
