import { type Access, type AccessContext, accessOf, EVERYONE_EDITS, reaches, restrictionOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { objectId } from '../../http/ids.js';
import { ApiError } from '../../kernel/errors.js';
import { type DashboardRow, readDashboard } from './store.js';

/** A dashboard that the caller may see, and what the access rules say to them about dashboards. */
export interface FoundDashboard {
  dashboard: DashboardRow;
  access: Access;
}

/**
 * The dashboard of a path segment, for somebody who may at least see it.
 * @throws ApiError not_found (`detail`, else `Not found.`): unknown, of another project or deleted (unless `deleted`);
 * permission_denied: hidden from the caller
 */
export async function findDashboard(
  context: AccessContext,
  segment: string,
  { deleted = false, detail }: { deleted?: boolean; detail?: string } = {},
): Promise<FoundDashboard> {
  const { deps, project, principal } = context;
  const id = objectId(segment);
  if (id === null) throw new ApiError('not_found', detail);
  const [dashboard, access] = await Promise.all([
    readDashboard(deps.db, project.id, id, principal.userId),
    accessOf(context, 'dashboard'),
  ]);
  if (!dashboard || (dashboard.deleted && !deleted)) throw new ApiError('not_found', detail);
  access.requireOn(dashboard, 'viewer');
  return { dashboard, access };
}

/** Whether {@link requireEditable} lets the caller in. */
export function isEditable(context: ProjectContext, { dashboard, access }: FoundDashboard): boolean {
  const { effective_restriction_level: restriction, can_edit: canEdit } = restrictionOf(context, dashboard);
  return canEdit && (restriction !== EVERYONE_EDITS || reaches(access.levelOn(dashboard), 'editor'));
}

/**
 * Whether the caller may change a dashboard: on a restricted one its creator, administrators and invited editors may, on any
 * other whoever the access rules make an editor.
 * @throws ApiError permission_denied
 */
export function requireEditable(context: ProjectContext, { dashboard, access }: FoundDashboard): void {
  const { effective_restriction_level: restriction, can_edit: canEdit } = restrictionOf(context, dashboard);
  if (!canEdit) throw new ApiError('permission_denied', "You don't have edit permissions for this dashboard.");
  if (restriction === EVERYONE_EDITS) access.requireOn(dashboard, 'editor');
}
