import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';
import type { IngestionWarning } from '../capture.js';
import { cleanJson } from '../storable.js';

/** Inserts warnings with their times (`at`, epoch milliseconds). Warnings of deleted projects are ignored. */
export async function insertWarnings(db: Db, warnings: readonly (IngestionWarning & { at: number })[]): Promise<void> {
  const rows = warnings.map((w) => ({
    project_id: w.projectId,
    type: w.type,
    details: cleanJson(w.details),
    created_at: new Date(w.at).toISOString(),
  }));
  await sql`
    insert into ingestion_warnings (project_id, type, details, created_at)
    select w.project_id, w.type, w.details, w.created_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as w(project_id integer, type text, details jsonb, created_at timestamptz)
    where exists (select from projects where projects.id = w.project_id)`.execute(db);
}
