import { type RawBuilder, sql } from 'kysely';
import { ConfigError } from '../../config.js';
import type { Db } from '../../ports/db.js';
import type { Clock } from '../../ports/system.js';

/**
 * Clocks that differ more than that are refused, milliseconds. Leases of background work last for 30 s and are extended every 10 s by the clocks
 * of the servers, so those of two servers may differ by twice as much.
 */
const MAX_APART = 10_000;

/** Compares the clock of PostgreSQL, which all servers share, with this machine's. @throws ConfigError in one sentence that says what to do */
export async function requireSameClock(db: Db, clock: Clock): Promise<void> {
  const theirs: RawBuilder<{ now: string }> = sql`select extract(epoch from clock_timestamp()) * 1000 as now`;
  const begun = clock.now();
  const { rows } = await theirs.execute(db);
  const ended = clock.now();
  // it read its clock at some time in between
  const ahead = Number(rows[0]?.now) - (begun + ended) / 2;
  if (Math.abs(ahead) - (ended - begun) / 2 <= MAX_APART) return;
  const [seconds, direction] = [Math.round(Math.abs(ahead) / 1_000), ahead > 0 ? 'ahead of' : 'behind'];
  throw new ConfigError(
    `DATABASE_URL: the clock of PostgreSQL is ${seconds} s ${direction} this machine's: let NTP set the clocks of all machines.`,
  );
}
