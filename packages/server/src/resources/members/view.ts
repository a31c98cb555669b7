import { userView } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import type { MemberRow } from './store.js';

/** An explicit member as the API shows it. */
export const memberView = (row: MemberRow) => ({
  id: row.explicit_id,
  level: row.level,
  parent_level: row.parent_level,
  parent_membership_id: row.membership_id,
  joined_at: isoTime(row.joined_at),
  updated_at: isoTime(row.updated_at),
  user: userView(row),
  user_uuid: row.uuid,
  effective_level: Math.max(row.level, row.parent_level),
});
