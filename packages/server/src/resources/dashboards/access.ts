import { EVERYONE_EDITS, type Found, findersOf, reaches, restrictionOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { type DashboardRow, readDashboard } from './store.js';

export type FoundDashboard = Found<DashboardRow>;

const { find, findVisible, findEditable, readLive } = findersOf<DashboardRow>({
  resource: 'dashboard',
  read: ({ deps, project, principal }, id) => readDashboard(deps.db, project.id, id, principal.userId),
  requireEditable,
});

export { find as findDashboard, findEditable, findVisible, readLive };

/** Whether {@link requireEditable} passes. */
export function isEditable(context: ProjectContext, { row, access }: FoundDashboard): boolean {
  const { effective_restriction_level: restriction, can_edit: canEdit } = restrictionOf(context, row);
  return canEdit && (restriction !== EVERYONE_EDITS || reaches(access.levelOn(row), 'editor'));
}

/**
 * Refuses callers who may not see or not change a dashboard. A restricted one is editable for its creator, administrators and invited
 * editors; the access rules decide about others.
 * @throws ApiError permission_denied
 */
export function requireEditable(context: ProjectContext, { row, access }: FoundDashboard): void {
  access.requireOn(row, 'viewer');
  const { effective_restriction_level: restriction, can_edit: canEdit } = restrictionOf(context, row);
  if (!canEdit) throw new ApiError('permission_denied', "You don't have edit permissions for this dashboard.");
  if (restriction === EVERYONE_EDITS) access.requireOn(row, 'editor');
}
