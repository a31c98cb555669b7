import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { flagQuery } from '../../data/flags.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export type FlagTab = 'release' | 'schedule' | 'history';

/** `tab`: part of the screen; release if absent. `person`: distinct id that the tester evaluates. `version`: the one that the history shows. */
export interface FlagSearch {
  tab?: Exclude<FlagTab, 'release'>;
  person?: string;
  version?: number;
}

function readSearch({ tab, person, version }: Record<string, unknown>): FlagSearch {
  const number = Number(version);
  return {
    ...((tab === 'schedule' || tab === 'history') && { tab }),
    ...(typeof person === 'string' && person && { person }),
    ...(Number.isSafeInteger(number) && number > 0 && { version: number }),
  };
}

export const flagRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/flags/$id',
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: readSearch,
  loader: ({ context: { queries }, params }) => queries.ensureQueryData(flagQuery(params.project, params.id)),
  component: lazyScreen(() => import('./FlagScreen.js'), 'FlagScreen'),
});

export const newFlagRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/flags/new',
  component: lazyScreen(() => import('./NewFlagScreen.js'), 'NewFlagScreen'),
});
