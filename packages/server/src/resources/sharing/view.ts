import { isoTime } from '../../http/dates.js';
import type { PasswordRow, SharingRow } from './store.js';

/** A sharing configuration in responses. */
export const sharingView = (row: SharingRow, passwords: readonly PasswordRow[]) => ({
  created_at: isoTime(row.created_at),
  enabled: row.enabled,
  access_token: row.access_token,
  settings: row.settings,
  password_required: row.password_required,
  view_count: row.view_count,
  share_passwords: passwords.map(passwordView),
});

export const passwordView = ({ id, note, created_at, created_by_email }: PasswordRow) => ({
  id,
  note,
  created_at: isoTime(created_at),
  created_by_email,
});
