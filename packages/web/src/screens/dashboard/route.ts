import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { dashboardQuery } from '../../data/dashboards.js';
import { lazyScreen } from '../../ui/lazy-part.js';

/** `from`, `to`: dates over all tiles. `f`: filters over all. `v`: values of variables, `name=value`. `present`: full screen. `every`: refresh in seconds. `edit`: the layout is edited. */
export interface DashboardSearch {
  from?: string;
  to?: string;
  f?: string[];
  v?: string[];
  present?: string;
  every?: string;
  edit?: string;
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');

export const dashboardRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/dashboards/$id',
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: (search: Record<string, unknown>): DashboardSearch => ({
    ...(typeof search['from'] === 'string' && { from: search['from'] }),
    ...(typeof search['to'] === 'string' && { to: search['to'] }),
    ...(texts(search['f']).length > 0 && { f: texts(search['f']) }),
    ...(texts(search['v']).length > 0 && { v: texts(search['v']) }),
    ...(search['present'] === '1' && { present: '1' }),
    ...(typeof search['every'] === 'string' && /^\d+$/.test(search['every']) && { every: search['every'] }),
    ...(search['edit'] === '1' && { edit: '1' }),
  }),
  loader: ({ context: { queries }, params }) => queries.ensureQueryData(dashboardQuery(params.project, params.id)),
  component: lazyScreen(() => import('./DashboardScreen.js'), 'DashboardScreen'),
});
