import { isoTime } from '../../http/dates.js';
import type { KeyRow } from './store.js';

/** A key as its owner sees it; `value` only in the answer that made it. */
export const keyView = (row: KeyRow, value: string | null = null) => ({
  id: row.id,
  label: row.label,
  value,
  mask_value: row.mask_value,
  created_at: isoTime(row.created_at),
  last_used_at: isoTime(row.last_used_at),
  user_id: row.user_id,
  scopes: row.scopes,
  scoped_teams: row.scoped_teams,
  scoped_organizations: row.scoped_organizations,
});
