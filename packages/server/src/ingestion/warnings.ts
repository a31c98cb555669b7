import { sql } from 'kysely';
import type { Ports } from '../deps.js';
import { createFlusher } from '../jobs/index.js';
import type { Db } from '../ports/db.js';
import type { IngestionWarning } from './capture.js';
import { cleanJson } from './storable.js';

const FLUSH_MS = 500;
/** Interval in which equal warnings about the same subject are stored once. */
const REPEAT_MS = 60_000;
/** Limit of different warnings a minute; more would not help users. */
const MAX_A_MINUTE = 5_000;

/** Stores ingestion warnings in the background. */
export interface Warnings {
  add(warnings: readonly IngestionWarning[]): void;
  close(): Promise<void>;
}

export function createWarnings(deps: Ports): Warnings {
  const { clock, db } = deps;
  let seen = new Set<string>();
  let minute = 0;
  let waiting: (IngestionWarning & { at: number })[] = [];
  const background = createFlusher(deps, {
    name: 'ingestion warnings',
    delayMs: FLUSH_MS,
    flush: async () => {
      const batch = waiting;
      if (batch.length === 0) return;
      await insertWarnings(db, batch);
      waiting = waiting.slice(batch.length);
    },
  });
  return {
    add(warnings) {
      if (warnings.length === 0) return;
      const now = clock.now();
      if (Math.floor(now / REPEAT_MS) !== minute) {
        minute = Math.floor(now / REPEAT_MS);
        seen = new Set();
      }
      for (const warning of warnings) {
        const key = `${warning.projectId}:${warning.type}:${subject(warning)}`;
        if (seen.has(key) || seen.size >= MAX_A_MINUTE) continue;
        seen.add(key);
        waiting.push({ ...warning, at: now });
      }
      if (waiting.length > 0) background.wake();
    },
    close: () => background.close(),
  };
}

function subject({ details }: IngestionWarning): string {
  const { distinctId, message, event } = details;
  return JSON.stringify([distinctId ?? null, message ?? null, event ?? null]);
}

/** Inserts warnings with their times (`at`, epoch milliseconds). Warnings of deleted projects are ignored. */
async function insertWarnings(db: Db, warnings: readonly (IngestionWarning & { at: number })[]): Promise<void> {
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
