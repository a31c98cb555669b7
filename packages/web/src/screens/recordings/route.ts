import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { recordingsQuery } from '../../data/persons.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export const recordingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/recordings',
  loader: ({ context: { queries }, params }) => void queries.prefetchQuery(recordingsQuery(params.project, null)),
  component: lazyScreen(() => import('./RecordingsScreen.js'), 'RecordingsScreen'),
});

/** `t`: seconds from the beginning where the recording opens. */
export const recordingRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/recordings/$id',
  validateSearch: ({ t }: Record<string, unknown>): { t?: string } => (typeof t === 'string' && /^\d+$/.test(t) ? { t } : {}),
  component: lazyScreen(() => import('./RecordingScreen.js'), 'RecordingScreen'),
});
