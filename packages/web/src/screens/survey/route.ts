import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { surveyQuery } from '../../data/surveys.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export type SurveyTab = 'answers' | 'questions' | 'targeting' | 'appearance' | 'translations';

const TABS: readonly unknown[] = ['answers', 'questions', 'targeting', 'appearance', 'translations'];

/** `tab`: part of the screen; without it the answers, of a draft the questions. */
export interface SurveySearch {
  tab?: SurveyTab;
}

const validateSearch = ({ tab }: Record<string, unknown>): SurveySearch => ({
  ...(TABS.includes(tab) && { tab: tab as SurveyTab }),
});

export const surveyRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/surveys/$id',
  validateSearch,
  loader: ({ context: { queries }, params }) => queries.ensureQueryData(surveyQuery(params.project, params.id)),
  component: lazyScreen(() => import('./SurveyScreen.js'), 'SurveyScreen'),
});

export const newSurveyRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/surveys/new',
  validateSearch,
  component: lazyScreen(() => import('./NewSurveyScreen.js'), 'NewSurveyScreen'),
});
