import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/** Events by parallel lists. */
export interface ClaimKeys {
  projects: readonly number[];
  uuids: readonly string[];
}

export interface Claimed {
  project_id: number;
  uuid: string;
  /** Whether there was a claim already: an earlier one of the same server, or one that its server has not repeated. */
  again: boolean;
}

/** Not claimed or repeated within so many seconds. A claim in the future was made before the clock of the database was set back. */
const isOld = (seconds: number) =>
  sql<boolean>`c.claimed_at not between clock_timestamp() - make_interval(secs => ${seconds}) and clock_timestamp() + interval '1 second'`;

/** Claims events for a server; those are left out that another one has claimed, or said again that it is at, within `freshSeconds`. */
export async function claimEvents(
  db: Db,
  server: string,
  { projects, uuids }: ClaimKeys,
  freshSeconds: number,
): Promise<Claimed[]> {
  // in order, lest two servers wait for each other
  const { rows } = await sql<Claimed>`
    insert into event_claims as c (project_id, uuid, server, claimed_at)
    select e.project_id, e.uuid, ${server}::uuid, clock_timestamp()
    from unnest(${projects}::int[], ${uuids}::uuid[]) as e (project_id, uuid) order by e.project_id, e.uuid
    on conflict (project_id, uuid) do update set server = excluded.server, claimed_at = excluded.claimed_at
      where c.server = excluded.server or ${isOld(freshSeconds)}
    returning project_id, uuid, xmax::text <> '0' as again`.execute(db);
  return rows;
}

/** Says that a server is still at them. */
export async function repeatClaims(db: Db, server: string, { projects, uuids }: ClaimKeys): Promise<void> {
  await sql`
    update event_claims c set claimed_at = clock_timestamp() from unnest(${projects}::int[], ${uuids}::uuid[]) as e (project_id, uuid)
    where c.project_id = e.project_id and c.uuid = e.uuid and c.server = ${server}`.execute(db);
}

/** Gives events back that a server has not stored. */
export async function dropClaims(db: Db, server: string, { projects, uuids }: ClaimKeys): Promise<void> {
  await sql`
    delete from event_claims c using unnest(${projects}::int[], ${uuids}::uuid[]) as e (project_id, uuid)
    where c.project_id = e.project_id and c.uuid = e.uuid and c.server = ${server}`.execute(db);
}

/** Forgets the claims that nobody has repeated for so many seconds. */
export async function forgetClaims(db: Db, seconds: number): Promise<void> {
  await sql`delete from event_claims c where ${isOld(seconds)}`.execute(db);
}
