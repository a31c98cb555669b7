import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { cohortQuery } from '../../data/cohorts.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** `tab`: part of the screen; conditions if absent. */
export interface CohortSearch {
  tab?: 'people';
}

/** `f`: filters of people that the new cohort begins with. `copy`: number of the cohort that it begins as. `list`: whether it is a list of people. */
export interface NewCohortSearch {
  f?: string[];
  copy?: number;
  list?: boolean;
}

export const cohortRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/cohorts/$id',
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: ({ tab }: Record<string, unknown>): CohortSearch => (tab === 'people' ? { tab } : {}),
  loader: ({ context: { queries }, params }) => void queries.prefetchQuery(cohortQuery(params.project, params.id)),
  component: lazyScreen(() => import('./CohortScreen.js'), 'CohortScreen'),
});

export const newCohortRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/cohorts/new',
  validateSearch: ({ f, copy, list }: Record<string, unknown>): NewCohortSearch => {
    const number = Number(copy);
    return {
      ...(f !== undefined && { f: (Array.isArray(f) ? f : [f]).filter((one) => typeof one === 'string') }),
      ...(Number.isSafeInteger(number) && number > 0 && { copy: number }),
      ...((list === 'true' || list === true) && { list: true }),
    };
  },
  component: lazyScreen(() => import('./NewCohortScreen.js'), 'NewCohortScreen'),
});
