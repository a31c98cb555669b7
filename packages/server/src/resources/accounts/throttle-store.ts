import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/** A window that begins after now is over, too: the clock was set back, and must lock nobody out for as long. */
const isOver = (now: Date, windowStart: Date) =>
  sql<boolean>`(f.window_started_at <= ${windowStart} or f.window_started_at > ${now}::timestamptz + interval '1 minute')`;

/** How many failures of a subject are let through within a window of `ms` milliseconds. */
export interface FailureLimit {
  subject: string;
  limit: number;
  ms: number;
}

/**
 * Counts a failure against each subject in turn, `now` in epoch milliseconds. Answers with the first limit that is exceeded, whose
 * followers are not counted, or null. The failure that reaches a limit starts its window again, so that the pause is a whole one.
 */
export async function countFailures(db: Db, limits: readonly FailureLimit[], now: number): Promise<FailureLimit | null> {
  for (const one of limits) if ((await countFailure(db, one, now)) > one.limit) return one;
  return null;
}

async function countFailure(db: Db, { subject, limit, ms }: FailureLimit, now: number): Promise<number> {
  const [time, windowStart] = [new Date(now), new Date(now - ms)];
  const { rows } = await sql<{ failures: number }>`
    insert into login_failures as f (subject, failures, window_started_at) values (${subject}, 1, ${time}::timestamptz)
    on conflict (subject) do update set
      failures = case when ${isOver(time, windowStart)} then 1 else least(f.failures, ${limit}::int) + 1 end,
      window_started_at = case
        when ${isOver(time, windowStart)} or f.failures = ${limit}::int - 1 then ${time} else f.window_started_at end
    returning failures`.execute(db);
  return rows[0]?.failures ?? 0;
}

/** Takes back one failure of each subject, which was counted before a try turned out right. */
export async function takeBackFailures(db: Db, subjects: readonly string[]): Promise<void> {
  for (const subject of subjects) {
    await db
      .updateTable('login_failures')
      .set((e) => ({ failures: e('failures', '-', 1) }))
      .where('subject', '=', subject)
      .execute();
  }
}

/** Forgets all failures of these subjects, and with `expired` those of windows that began before. */
export async function forgetFailures(db: Db, subjects: readonly string[], expired?: Date): Promise<void> {
  await db
    .deleteFrom('login_failures')
    .where((w) => w.or([w('subject', 'in', subjects), ...(expired ? [w('window_started_at', '<=', expired)] : [])]))
    .execute();
}

/** Forgets all failures of the subjects that begin with a text. */
export async function forgetFailuresBelow(db: Db, start: string): Promise<void> {
  await db.deleteFrom('login_failures').where(sql<boolean>`starts_with(subject, ${start})`).execute();
}
