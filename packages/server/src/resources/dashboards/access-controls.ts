import type { AccessControlOptions } from '../../access/index.js';
import { objectId } from '../../http/ids.js';
import { ApiError } from '../../kernel/errors.js';
import { recordActivity, ruleEntry } from '../activity/index.js';
import { dashboardParams } from './response-schema.js';
import { type DashboardRow, readDashboard } from './store.js';

/** The rules about who may see and change one dashboard. */
export const accessControls: AccessControlOptions<DashboardRow> = {
  resource: 'dashboard',
  path: '/dashboards/:id',
  params: dashboardParams,
  load: async ({ deps, project, principal, params }) => {
    const id = objectId(params['id']);
    const dashboard = id === null ? undefined : await readDashboard(deps.db, project.id, id, principal.userId);
    if (!dashboard || dashboard.deleted) throw new ApiError('not_found');
    return dashboard;
  },
  changed: (tx, context, { id, name }, change) =>
    recordActivity(tx, context.deps, ruleEntry(context, { of: { resource: 'dashboard', id }, name }, change)),
};
