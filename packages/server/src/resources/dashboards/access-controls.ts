import type { AccessControlOptions } from '../../access/index.js';
import { objectId } from '../../http/object-id.js';
import { ApiError } from '../../kernel/errors.js';
import { recordActivity, ruleChanges } from '../activity/index.js';
import { type DashboardRow, readDashboard } from './store.js';

/** The rules about who may see and change one dashboard. */
export const accessControls: AccessControlOptions<DashboardRow> = {
  resource: 'dashboard',
  path: '/dashboards/:id',
  load: async ({ deps, project, principal, params }) => {
    const id = objectId(params['id']);
    const dashboard = id === null ? undefined : await readDashboard(deps.db, project.id, id, principal.userId);
    if (!dashboard || dashboard.deleted) throw new ApiError('not_found');
    return dashboard;
  },
  changed: (tx, { deps, project, principal }, { id, name }, change) => {
    const { activity, changes } = ruleChanges(change);
    return recordActivity(tx, deps, {
      organizationId: project.organizationId,
      projectId: project.id,
      userId: principal.userId,
      activity,
      scope: 'AccessControl',
      itemId: id,
      of: { resource: 'dashboard', id },
      detail: { name, changes },
    });
  },
};
