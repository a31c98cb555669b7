import { userView } from '../../../auth/index.js';
import { isoTime } from '../../../http/dates.js';
import type { CollaboratorRow } from './store.js';

/** A collaborator as the API shows them. */
export const collaboratorView = (row: CollaboratorRow) => ({
  id: row.collaborator_id,
  dashboard_id: row.dashboard_id,
  user: userView(row),
  level: row.level,
  added_at: isoTime(row.added_at),
  updated_at: isoTime(row.updated_at),
  user_uuid: row.uuid,
});
