import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { annotationListQuery } from '../../data/annotations.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** `search`: text. `open`: number of the annotation in the panel, or `new`. */
export interface AnnotationsSearch {
  search?: string;
  open?: string;
}

export const annotationsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/annotations',
  validateSearch: ({ search, open }: Record<string, unknown>): AnnotationsSearch => ({
    ...(typeof search === 'string' && search && { search }),
    ...(typeof open === 'string' && /^(new|\d+)$/.test(open) && { open }),
  }),
  loaderDeps: ({ search: { search } }) => ({ search }),
  loader: ({ context: { queries }, params, deps }) =>
    void queries.prefetchInfiniteQuery(annotationListQuery(params.project, deps.search ?? '')),
  component: lazyScreen(() => import('./AnnotationsScreen.js'), 'AnnotationsScreen'),
});
