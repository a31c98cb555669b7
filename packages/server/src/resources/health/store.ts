import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/** The version of the PostgreSQL server, such as `18.4`. @throws Error when it takes no writes, as a standby does not */
export async function postgresVersion(db: Db): Promise<string> {
  // the lock of no row at all, which a server that takes no writes refuses
  const { rows } = await sql<{ version: string }>`
    with locked as (select from schema_migrations where false for key share)
    select current_setting('server_version') as version from (select count(*) from locked) none`.execute(db);
  // packagers put their own words behind it
  return rows[0]?.version.split(' ')[0] ?? 'unknown';
}
