import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { recordingsQuery } from '../../data/persons.js';

export const recordingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/recordings',
  loader: ({ context: { queries }, params }) => void queries.prefetchQuery(recordingsQuery(params.project, null)),
  component: lazyRouteComponent(() => import('./RecordingsScreen.js'), 'RecordingsScreen'),
});

/** `t`: seconds from the beginning where the recording opens. */
export const recordingRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/recordings/$id',
  validateSearch: ({ t }: Record<string, unknown>): { t?: string } => (typeof t === 'string' && /^\d+$/.test(t) ? { t } : {}),
  component: lazyRouteComponent(() => import('./RecordingScreen.js'), 'RecordingScreen'),
});
