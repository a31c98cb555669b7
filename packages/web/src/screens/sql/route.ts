import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { lazyScreen } from '../../ui/lazy-part.js';

export type SqlView = 'table' | 'line' | 'bar' | 'ranking' | 'pie' | 'number';

const VIEWS: readonly unknown[] = ['line', 'bar', 'ranking', 'pie', 'number'];

/** `q`: the select that was run. `view`: how its answer is shown; a table if absent. `x`: the column below the chart. */
export interface SqlSearch {
  q?: string;
  view?: Exclude<SqlView, 'table'>;
  x?: string;
}

export const sqlRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/sql',
  validateSearch: ({ q, view, x }: Record<string, unknown>): SqlSearch => ({
    ...(typeof q === 'string' && q && { q }),
    ...(VIEWS.includes(view) && { view: view as Exclude<SqlView, 'table'> }),
    ...(typeof x === 'string' && x && { x }),
  }),
  staticData: { foldsNavigation: true },
  component: lazyScreen(() => import('./SqlScreen.js'), 'SqlScreen'),
});
