import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { type SurveyFilter, type SurveyState, surveysQuery } from '../../data/surveys.js';
import { lazyScreen } from '../../ui/lazy-part.js';

const STATES: readonly unknown[] = ['draft', 'scheduled', 'running', 'ended', 'archived'];

export const surveysRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/surveys',
  validateSearch: ({ search, is }: Record<string, unknown>): SurveyFilter => ({
    ...(typeof search === 'string' && search && { search }),
    ...(STATES.includes(is) && { is: is as SurveyState }),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params, deps }) => void queries.prefetchInfiniteQuery(surveysQuery(params.project, deps)),
  component: lazyScreen(() => import('./SurveysScreen.js'), 'SurveysScreen'),
});
