import type { Selectable } from 'kysely';
import { type User, usersById } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import type { DB, Db } from '../../ports/db.js';

export type EventDefinition = Selectable<DB['event_definitions']> & {
  /** null: not known. */
  volume: number | null;
};
export type PropertyDefinition = Selectable<DB['property_definitions']> & {
  /** Whether the events of the request have it; null: the request names none. */
  is_seen: boolean | null;
};

/** Event definitions as responses show them. */
export async function eventViews(db: Db, rows: readonly EventDefinition[]) {
  const users = await usersOf(db, rows);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    ...descriptionOf(row, users),
    created_at: isoTime(row.created_at),
    last_seen_at: isoTime(row.last_seen_at),
    last_updated_at: isoTime(row.last_seen_at),
    volume_30_day: row.volume,
  }));
}

/** Property definitions as responses show them. */
export async function propertyViews(db: Db, rows: readonly PropertyDefinition[]) {
  const users = await usersOf(db, rows);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    ...descriptionOf(row, users),
    property_type: row.property_type,
    is_numerical: row.property_type === 'Numeric',
    is_seen_on_filtered_events: row.is_seen,
    created_at: isoTime(row.created_at),
    last_seen_at: isoTime(row.last_seen_at),
  }));
}

type DescriptionRow = Pick<
  EventDefinition,
  'description' | 'tags' | 'verified' | 'verified_at' | 'verified_by' | 'hidden' | 'updated_at' | 'updated_by'
>;

const usersOf = (db: Db, rows: readonly DescriptionRow[]): Promise<Map<number, User>> =>
  usersById(
    db,
    rows.flatMap(({ verified_by, updated_by }) => [verified_by, updated_by]),
  );

const descriptionOf = (row: DescriptionRow, users: Map<number, User>) => ({
  description: row.description,
  tags: row.tags,
  verified: row.verified,
  verified_at: isoTime(row.verified_at),
  verified_by: userOf(users, row.verified_by),
  hidden: row.hidden,
  updated_at: isoTime(row.updated_at),
  updated_by: userOf(users, row.updated_by),
});

const userOf = (users: Map<number, User>, id: number | null): User | null => (id === null ? null : (users.get(id) ?? null));
