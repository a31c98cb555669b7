import type { Access } from '../../access/index.js';
import { type ProjectContext, usersById } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import type { ActionRow } from './store.js';

/** Actions as responses show them. One statement reads the creators of all. */
export async function actionViews({ deps, project }: ProjectContext, access: Access, rows: readonly ActionRow[]) {
  const creators = await usersById(
    deps.db,
    rows.map(({ created_by }) => created_by),
  );
  return rows.map(({ updated_at, ...row }) => ({
    ...row,
    post_to_slack: false,
    slack_message_format: '',
    created_at: isoTime(row.created_at),
    created_by: (row.created_by !== null && creators.get(row.created_by)) || null,
    is_calculating: false,
    last_calculated_at: isoTime(updated_at),
    team_id: project.id,
    is_action: true,
    bytecode_error: null,
    pinned_at: isoTime(row.pinned_at),
    creation_context: null,
    user_access_level: access.levelOn(row),
  }));
}
