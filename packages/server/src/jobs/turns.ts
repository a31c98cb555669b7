import { sql } from 'kysely';
import type { Db } from '../ports/db.js';

/** The part of its interval after which a turn may be taken: the timers of servers are not exact. */
const EARLY = 0.9;

/**
 * Takes the turn of repeated work, of which there is one in each interval, whichever server takes it; false: it is not due. The clock of
 * the database counts. A turn further away than two intervals was noted before that clock was set back, and is due.
 */
export async function takeTurn(db: Db, name: string, everyMs: number): Promise<boolean> {
  const seconds = (everyMs / 1000) * EARLY;
  const { rows } = await sql`
    insert into turns as t (name, next_at) values (${name}, clock_timestamp() + make_interval(secs => ${seconds}))
    on conflict (name) do update set next_at = excluded.next_at
      where t.next_at <= clock_timestamp() or t.next_at > clock_timestamp() + make_interval(secs => ${2 * seconds})
    returning name`.execute(db);
  return rows.length > 0;
}
