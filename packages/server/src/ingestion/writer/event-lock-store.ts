import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/** Events in parallel arrays. */
export interface EventKeys {
  projects: readonly number[];
  uuids: readonly string[];
}

export interface LockedEvent {
  project_id: number;
  uuid: string;
  /** Whether a lock existed before: an earlier one of the same server, or an expired one of any server. */
  existed: boolean;
}

/** Not acquired or renewed within so many seconds. A time in the future means that the database's clock was set back: expired, too. */
const isExpired = (seconds: number) =>
  sql<boolean>`c.claimed_at not between clock_timestamp() - make_interval(secs => ${seconds}) and clock_timestamp() + interval '1 second'`;

/** Locks events for a server. Returns only those that no other server has acquired or renewed within `freshSeconds`. */
export async function lockEvents(
  db: Db,
  server: string,
  { projects, uuids }: EventKeys,
  freshSeconds: number,
): Promise<LockedEvent[]> {
  // ordered, so that two servers cannot deadlock
  const { rows } = await sql<LockedEvent>`
    insert into event_claims as c (project_id, uuid, server, claimed_at)
    select e.project_id, e.uuid, ${server}::uuid, clock_timestamp()
    from unnest(${projects}::int[], ${uuids}::uuid[]) as e (project_id, uuid) order by e.project_id, e.uuid
    on conflict (project_id, uuid) do update set server = excluded.server, claimed_at = excluded.claimed_at
      where c.server = excluded.server or ${isExpired(freshSeconds)}
    returning project_id, uuid, xmax::text <> '0' as existed`.execute(db);
  return rows;
}

/** Renews the locks of a server that is still storing the events. */
export async function renewLocks(db: Db, server: string, { projects, uuids }: EventKeys): Promise<void> {
  await sql`
    update event_claims c set claimed_at = clock_timestamp() from unnest(${projects}::int[], ${uuids}::uuid[]) as e (project_id, uuid)
    where c.project_id = e.project_id and c.uuid = e.uuid and c.server = ${server}`.execute(db);
}

/** Releases the locks of events that a server could not store. */
export async function releaseLocks(db: Db, server: string, { projects, uuids }: EventKeys): Promise<void> {
  await sql`
    delete from event_claims c using unnest(${projects}::int[], ${uuids}::uuid[]) as e (project_id, uuid)
    where c.project_id = e.project_id and c.uuid = e.uuid and c.server = ${server}`.execute(db);
}

/** Deletes locks that were not renewed for so many seconds. */
export async function deleteExpiredLocks(db: Db, seconds: number): Promise<void> {
  await sql`delete from event_claims c where ${isExpired(seconds)}`.execute(db);
}
