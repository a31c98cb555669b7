import { sql } from 'kysely';
import { type User, userJson } from '../../auth/index.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import { STATE_FIELDS } from './store.js';

/** One version of a flag. */
export interface VersionRow {
  version: number;
  author: User | null;
  created_at: Date;
  is_current: boolean;
}

const columns = sql`v.version, (select ${userJson} from users u where u.id = v.created_by) as author, v.created_at,
  v.version = f.version as is_current`;

/** Lists a page of the versions of a flag, newest first. There is one for every number up to the current version. */
export async function listVersions(
  db: Db,
  projectId: number,
  flagId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select ${columns} from feature_flag_versions v join feature_flags f on f.id = v.flag_id
    where f.project_id = ${projectId} and f.id = ${flagId}
    order by v.version desc limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** Reads a version, with the flag as it was. */
export async function readVersion(
  db: Db,
  projectId: number,
  flagId: number,
  version: number,
): Promise<(VersionRow & { snapshot: JsonObject }) | null> {
  const { rows } = await sql<VersionRow & { snapshot: JsonObject }>`
    select ${columns}, v.snapshot from feature_flag_versions v join feature_flags f on f.id = v.flag_id
    where f.project_id = ${projectId} and f.id = ${flagId} and v.version = ${version}`.execute(db);
  return rows[0] ?? null;
}

/** Inserts the current state of a flag as its current version. */
export async function insertVersion(db: Db, projectId: number, id: number): Promise<void> {
  const snapshot = sql.join(
    STATE_FIELDS.flatMap((field) => [sql.lit(field === 'usage_dashboard_id' ? 'usage_dashboard' : field), sql.ref(field)]),
  );
  await sql`
    insert into feature_flag_versions (flag_id, version, snapshot, created_by, created_at)
    select id, version, jsonb_build_object(${snapshot}), last_modified_by, updated_at
    from feature_flags where project_id = ${projectId} and id = ${id}`.execute(db);
}
