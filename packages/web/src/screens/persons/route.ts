import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { personListQuery } from '../../data/persons.js';
import { lazyScreen } from '../../ui/lazy-part.js';
import type { PersonsSearch } from './filters-of-search.js';

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '');

export const personsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/persons',
  validateSearch: ({ search, f, col }: Record<string, unknown>): PersonsSearch => ({
    ...(typeof search === 'string' && search && { search }),
    ...(f !== undefined && { f: texts(f) }),
    ...(col !== undefined && { col: texts(col) }),
  }),
  loaderDeps: ({ search: { col: _col, ...search } }) => search,
  loader: ({ context: { queries }, params, deps }) =>
    // filters are read by the screen: their code is no part of the first load of others
    deps.f
      ? undefined
      : void queries.prefetchInfiniteQuery(personListQuery(params.project, { search: deps.search ?? '', properties: [] })),
  component: lazyScreen(() => import('./PersonsScreen.js'), 'PersonsScreen'),
});
