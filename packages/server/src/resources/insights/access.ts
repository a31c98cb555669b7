import {
  type AccessFields,
  CAN_EDIT,
  CAN_VIEW,
  EVERYONE_EDITS,
  type Found,
  findersOf,
  ONLY_COLLABORATORS_EDIT,
  type Restricted,
  type RestrictedUser,
  reaches,
  restrictionOf,
} from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { InsightRow } from '../tiles/index.js';
import { readInsight } from './store.js';

export type FoundInsight = Found<InsightRow>;

const { find, findVisible, findEditable, readLive } = findersOf<InsightRow>({
  resource: 'insight',
  read: ({ deps, project, principal }, id) => readInsight(deps.db, project.id, { id }, principal.userId),
  readByName: async ({ deps, project, principal }, segment) =>
    SHORT_ID.test(segment) ? readInsight(deps.db, project.id, { short_id: segment }, principal.userId) : null,
  requireEditable,
});

const SHORT_ID = /^[\w-]{1,12}$/;

export { find as findInsight, findEditable, findVisible, readLive };

/**
 * Refuses callers who may not change an insight: the access rules decide, and the restrictions of its dashboards.
 * @throws ApiError permission_denied
 */
export function requireEditable(context: ProjectContext, { row, access }: FoundInsight): void {
  access.requireOn(row, 'editor');
  if (insightLevels(context, row).effective_privilege_level >= CAN_EDIT) return;
  throw new ApiError(
    'permission_denied',
    'This insight is on a dashboard that can only be edited by its owner, team members invited to editing the dashboard, and project admins.',
  );
}

/** Whether {@link requireEditable} passes. */
export const isInsightEditable = (context: RestrictedUser, { row, access }: FoundInsight): boolean =>
  reaches(access.levelOn(row), 'editor') && insightLevels(context, row).effective_privilege_level >= CAN_EDIT;

/** What the restrictions of an insight's dashboards allow a user. The right to edit one of the dashboards is enough. */
export function insightLevels(
  context: RestrictedUser,
  { places }: { places: readonly Restricted[] },
): Pick<AccessFields, 'effective_restriction_level' | 'effective_privilege_level'> {
  const restrictions = places.map((place) => restrictionOf(context, place));
  const isRestricted = restrictions.some((one) => one.effective_restriction_level === ONLY_COLLABORATORS_EDIT);
  const canEdit = restrictions.length === 0 || restrictions.some((one) => one.can_edit);
  return {
    effective_restriction_level: isRestricted ? ONLY_COLLABORATORS_EDIT : EVERYONE_EDITS,
    effective_privilege_level: canEdit ? CAN_EDIT : CAN_VIEW,
  };
}
