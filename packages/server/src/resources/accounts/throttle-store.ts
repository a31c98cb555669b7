import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/**
 * Counts a failure against each subject, starting anew after the window, and gives the highest count. The failure that
 * reaches `limit` starts the window again, so that the pause is a whole one.
 */
export async function countFailures(
  db: Db,
  subjects: readonly string[],
  limit: number,
  now: Date,
  windowStart: Date,
): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    insert into login_failures as f (subject, failures, window_started_at)
    select subject, 1, ${now}::timestamptz from unnest(${[...subjects].sort()}::text[]) subject
    on conflict (subject) do update set
      failures = case when f.window_started_at <= ${windowStart} then 1 else least(f.failures, ${limit}::int) + 1 end,
      window_started_at = case
        when f.window_started_at <= ${windowStart} or f.failures = ${limit}::int - 1 then ${now} else f.window_started_at end
    returning failures`.execute(db);
  return Math.max(0, ...rows.map((row) => row.failures));
}

/** Takes back the failure that was counted before a log-in turned out right, and forgets those of the address. */
export async function forgiveFailures(db: Db, address: string, ip: string, windowStart: Date): Promise<void> {
  await sql`
    delete from login_failures
    where subject = ${address} or window_started_at <= ${windowStart} or (subject = ${ip} and failures <= 1)`.execute(db);
  await db
    .updateTable('login_failures')
    .set((e) => ({ failures: e('failures', '-', 1) }))
    .where('subject', '=', ip)
    .execute();
}

/** Forgets all failures of these subjects. */
export async function forgetFailures(db: Db, subjects: readonly string[]): Promise<void> {
  await db.deleteFrom('login_failures').where('subject', 'in', subjects).execute();
}
