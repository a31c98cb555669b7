import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { recordingsQuery } from '../../data/recordings.js';
import { lazyScreen } from '../../ui/lazy-part.js';
import { filterOfSearch, type RecordingsSearch, searchOf } from './filter-of-search.js';

export const recordingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/recordings',
  validateSearch: (search: Record<string, unknown>): RecordingsSearch => searchOf(search),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) =>
    void queries.prefetchInfiniteQuery(recordingsQuery(params.project, filterOfSearch(deps))),
  component: lazyScreen(() => import('./RecordingsScreen.js'), 'RecordingsScreen'),
});

/** `t`: seconds from the beginning where the recording opens. */
export const recordingRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/recordings/$id',
  validateSearch: ({ t }: Record<string, unknown>): { t?: string } => (typeof t === 'string' && /^\d+$/.test(t) ? { t } : {}),
  component: lazyScreen(() => import('./RecordingScreen.js'), 'RecordingScreen'),
});
