import { type User, usersById } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { isObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import type { ActivityRow } from './store.js';

/** Entries as responses show them. One statement reads the users of all. */
export async function activityViews(db: Db, rows: readonly ActivityRow[]) {
  const users = await usersById(
    db,
    rows.map((row) => row.user_id ?? importOf(row)?.by ?? null),
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
  ...importedView(importOf(row), users),
});

/** How an entry of another service came into the log; null: it happened here. */
function importOf({ detail }: ActivityRow): { author: string | null; by: number | null; at: string } | null {
  const imported = isObject(detail) ? detail['imported'] : null;
  if (!isObject(imported)) return null;
  const { author, by, at } = imported;
  return { author: typeof author === 'string' ? author : null, by: typeof by === 'number' ? by : null, at: String(at) };
}

function importedView(imported: ReturnType<typeof importOf>, users: ReadonlyMap<number, User>) {
  if (!imported) return {};
  const { author, by, at } = imported;
  return { imported: { author, by: (by !== null && users.get(by)) || null, at } };
}

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
