import {
  type AccessFields,
  CAN_EDIT,
  CAN_VIEW,
  EVERYONE_EDITS,
  ONLY_COLLABORATORS_EDIT,
  restrictionOf,
} from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import type { InsightRow } from '../tiles/index.js';

/** What the restrictions of an insight's dashboards leave to the caller: the right to edit one of them is enough. */
export function insightLevels(
  context: Pick<ProjectContext, 'principal' | 'level'>,
  { places }: Pick<InsightRow, 'places'>,
): Pick<AccessFields, 'effective_restriction_level' | 'effective_privilege_level'> {
  const restrictions = places.map((place) => restrictionOf(context, place));
  const isRestricted = restrictions.some((one) => one.effective_restriction_level === ONLY_COLLABORATORS_EDIT);
  const canEdit = restrictions.length === 0 || restrictions.some((one) => one.can_edit);
  return {
    effective_restriction_level: isRestricted ? ONLY_COLLABORATORS_EDIT : EVERYONE_EDITS,
    effective_privilege_level: canEdit ? CAN_EDIT : CAN_VIEW,
  };
}
