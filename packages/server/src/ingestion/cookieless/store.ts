import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/**
 * The salt of a day, or that of a later one if another server's clock is ahead; `fresh` becomes that of the day if there is none. The salts of
 * earlier days go with their file, so that no page of the table holds them any longer.
 */
export async function saltOf(db: Db, day: string, fresh: Buffer): Promise<Buffer> {
  return db.transaction().execute(async (trx) => {
    const read = async () => {
      const { rows } = await sql<{ salt: Buffer }>`
        select salt from cookieless_salts where day >= ${day}::date order by day limit 1`.execute(trx);
      return rows[0]?.salt;
    };
    const found = await read();
    if (found) return found;
    await sql`lock table cookieless_salts in access exclusive mode`.execute(trx);
    const meanwhile = await read();
    if (meanwhile) return meanwhile;
    await sql`truncate cookieless_salts`.execute(trx);
    await sql`insert into cookieless_salts (day, salt) values (${day}::date, ${fresh})`.execute(trx);
    return fresh;
  });
}

/** Forgets the salts of earlier days. */
export async function forgetSaltsBefore(db: Db, day: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ old: number; all: number }>`
      select (count(*) filter (where day < ${day}::date))::int as old, count(*)::int as all from cookieless_salts`.execute(trx);
    const { old = 0, all = 0 } = rows[0] ?? {};
    if (old === 0) return;
    if (old < all) await sql`delete from cookieless_salts where day < ${day}::date`.execute(trx);
    else await sql`truncate cookieless_salts`.execute(trx);
  });
}
