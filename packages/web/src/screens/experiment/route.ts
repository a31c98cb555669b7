import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { experimentQuery } from '../../data/experiments.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export type ExperimentTab = 'results' | 'setup';

/** `tab`: part of the screen; without it results, of a draft the set-up. */
export interface ExperimentSearch {
  tab?: ExperimentTab;
}

export const experimentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/experiments/$id',
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: ({ tab }: Record<string, unknown>): ExperimentSearch => ({
    ...((tab === 'results' || tab === 'setup') && { tab }),
  }),
  loader: ({ context: { queries }, params }) => queries.ensureQueryData(experimentQuery(params.project, params.id)),
  component: lazyScreen(() => import('./ExperimentScreen.js'), 'ExperimentScreen'),
});

export const newExperimentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/experiments/new',
  component: lazyScreen(() => import('./NewExperimentScreen.js'), 'NewExperimentScreen'),
});
