import { isoTime } from '../http/dates.js';
import type { RuleRow } from './rules-store.js';

/** A rule as responses show it. */
export const ruleView = (row: RuleRow) => ({
  access_level: row.access_level,
  resource: row.resource,
  resource_id: row.resource_id,
  organization_member: row.membership_id,
  role: row.role_id,
  created_by: row.created_by,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
});

export type RuleView = ReturnType<typeof ruleView>;

/** The response that lists the rules on one object or on the project. `levels`: lowest first. */
export const rulesView = (
  rows: readonly RuleRow[],
  levels: readonly string[],
  defaultLevel: string,
  userLevel: string,
  canEdit: boolean,
) => ({
  access_controls: rows.map(ruleView),
  available_access_levels: levels,
  default_access_level: defaultLevel,
  minimum_access_level: levels[0],
  maximum_access_level: levels.at(-1),
  user_access_level: userLevel,
  user_can_edit_access_levels: canEdit,
});
