import { sql } from 'kysely';
import { clientNetwork } from '../../http/rate-counter.js';
import type { RequestContext } from '../../http/route.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';

const PAUSE_MS = 10 * 60_000;
/** Failures within the pause: of one account from one network, of one account from all of them, and from one network. */
const LIMITS = { pair: 30, account: 100, network: 300 };

/**
 * Runs one try of a password. Every try counts as failed before its outcome is known, so that many at once get no more tries
 * than many in a row. An account that is locked for one network is open to others, and the network to other accounts.
 * @throws ApiError too_many_failed_attempts
 */
export async function throttled<T>({ deps, request }: RequestContext, email: string, attempt: () => Promise<T>): Promise<T> {
  const account = email.trim().toLowerCase();
  const network = clientNetwork(request.ip);
  const [pair, total, all] = [`login:${account} ${network}`, accountSubject(account), `ip:${network}`];
  const now = deps.clock.now();
  const exceeded = await countFailures(
    deps.db,
    [
      { subject: pair, limit: LIMITS.pair, ms: PAUSE_MS },
      { subject: all, limit: LIMITS.network, ms: PAUSE_MS },
      { subject: total, limit: LIMITS.account, ms: PAUSE_MS },
    ],
    now,
  );
  if (exceeded) throw new ApiError('too_many_failed_attempts', undefined, null, PAUSE_MS / 1000);
  const result = await attempt();
  await forgetFailures(deps.db, [pair], new Date(now - PAUSE_MS));
  await takeBackFailures(deps.db, [total, all]);
  return result;
}

/** Opens an account that failed log-ins locked. */
export async function unlockAccount(db: Db, email: string): Promise<void> {
  const account = email.trim().toLowerCase();
  await forgetFailures(db, [accountSubject(account)]);
  await forgetFailuresBelow(db, `login:${account} `);
}

/** Subject that counts the failures of an account from all networks. */
const accountSubject = (account: string): string => `email:${account}`;

/** A window that begins in the future is over as well: a clock that was set back must not lock accounts for that time. */
const isOver = (now: Date, windowStart: Date) =>
  sql<boolean>`(f.window_started_at <= ${windowStart} or f.window_started_at > ${now}::timestamptz + interval '1 minute')`;

/** How many failures of a subject are let through within a window of `ms` milliseconds. */
interface FailureLimit {
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
async function forgetFailuresBelow(db: Db, start: string): Promise<void> {
  await db.deleteFrom('login_failures').where(sql<boolean>`starts_with(subject, ${start})`).execute();
}
