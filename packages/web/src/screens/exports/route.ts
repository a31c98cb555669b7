import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { exportsQuery } from '../../data/exports.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export const exportsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/exports',
  loader: ({ context: { queries }, params }) => void queries.prefetchQuery(exportsQuery(params.project)),
  component: lazyScreen(() => import('./ExportsScreen.js'), 'ExportsScreen'),
});
