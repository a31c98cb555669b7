import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/** The version of the PostgreSQL server, such as `18.4`. */
export async function postgresVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
  // packagers put their own words behind it
  return rows[0]?.version.split(' ')[0] ?? 'unknown';
}
