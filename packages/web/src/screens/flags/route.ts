import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { type FlagState, type FlagType, flagsQuery } from '../../data/flags.js';
import { lazyScreen } from '../../ui/lazy-part.js';
import { type FlagsSearch, filterOfSearch } from './filter-of-search.js';

const STATES: readonly unknown[] = ['on', 'off', 'stale'];
const TYPES: readonly unknown[] = ['boolean', 'multivariant', 'experiment', 'remote_config'];

export const flagsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/flags',
  validateSearch: ({ search, is, type, tag }: Record<string, unknown>): FlagsSearch => ({
    ...(typeof search === 'string' && search && { search }),
    ...(STATES.includes(is) && { is: is as FlagState }),
    ...(TYPES.includes(type) && { type: type as FlagType }),
    ...(typeof tag === 'string' && tag && { tag }),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) =>
    void queries.prefetchInfiniteQuery(flagsQuery(params.project, filterOfSearch(deps))),
  component: lazyScreen(() => import('./FlagsScreen.js'), 'FlagsScreen'),
});
