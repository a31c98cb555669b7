import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { type SurveyState, surveysQuery } from '../../data/surveys.js';
import { lazyScreen } from '../../ui/lazy-part.js';

const STATES: readonly unknown[] = ['draft', 'scheduled', 'running', 'ended', 'archived'];

/** `search`: text. `is`: the state; without it all that are not archived. */
export interface SurveysSearch {
  search?: string;
  is?: SurveyState;
}

export const surveysRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/surveys',
  validateSearch: ({ search, is }: Record<string, unknown>): SurveysSearch => ({
    ...(typeof search === 'string' && search && { search }),
    ...(STATES.includes(is) && { is: is as SurveyState }),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) =>
    void queries.prefetchInfiniteQuery(surveysQuery(params.project, deps.search ?? '')),
  component: lazyScreen(() => import('./SurveysScreen.js'), 'SurveysScreen'),
});
