import { type User, usersById } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { isObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import type { ActivityRow } from './store.js';

/** Entries as responses show them. One statement reads the users of all. */
export async function activityViews(db: Db, rows: readonly ActivityRow[]) {
  const users = await usersById(
    db,
    rows.map((row) => row.user_id),
  );
  return rows.map((row) => activityView(row, users));
}

const activityView = (row: ActivityRow, users: ReadonlyMap<number, User>) => ({
  id: row.id,
  user: (row.user_id !== null && users.get(row.user_id)) || null,
  unread: false,
  activity: row.activity,
  scope: row.scope,
  item_id: row.item_id,
  detail: detailView(row.detail),
  created_at: isoTime(row.created_at),
});

/** Puts the fields into the order of the API: PostgreSQL sorts the keys of `jsonb`. */
function detailView(stored: unknown) {
  const detail = isObject(stored) ? stored : {};
  const changes = Array.isArray(detail['changes']) ? detail['changes'].filter(isObject) : [];
  return {
    name: detail['name'],
    short_id: detail['short_id'],
    changes: changes.map(({ type, action, field, before, after }) => ({ type, action, field, before, after })),
    trigger: detail['trigger'],
    type: detail['type'],
  };
}
