import { sql } from 'kysely';
import type { Db, DbTransaction } from '../../ports/db.js';
import { ACTIVE_GAP_MS, type Summary } from './summary.js';

export interface RecordingHead {
  sessionId: string;
  distinctId: string;
  source: 'web' | 'mobile';
  library: string;
}

/** Recording settings: whether the project records, and which of these sessions are deleted; null: the project was deleted. */
export async function readRecordingSettings(
  db: Db,
  projectId: number,
  sessionIds: readonly string[],
): Promise<{ records: boolean; deleted: string[] } | null> {
  const { rows } = await sql<{ records: boolean; deleted: string[] }>`
    select coalesce(settings -> 'session_recording_opt_in' = 'true'::jsonb, false) as records, array(
      select session_id from recordings
      where project_id = p.id and session_id = any(${[...sessionIds]}::text[]) and deleted_at is not null
    ) as deleted
    from projects p where id = ${projectId}`.execute(db);
  return rows[0] ?? null;
}

/** Creates the recording if it is new, locks its row until the transaction ends, and returns its id; null: the recording was deleted. */
export async function upsertRecording(
  tx: DbTransaction,
  projectId: number,
  { sessionId, distinctId, source, library }: RecordingHead,
  { start, end }: Summary,
  now: Date,
): Promise<number | null> {
  const { rows } = await sql<{ id: number; deleted_at: Date | null }>`
    insert into recordings (project_id, session_id, distinct_id, start_time, end_time, snapshot_source, snapshot_library, updated_at)
    values (${projectId}, ${sessionId}, ${distinctId}, ${new Date(start)}, ${new Date(end)}, ${source}, ${library}, ${now})
    on conflict (project_id, session_id) do update set updated_at = excluded.updated_at
    returning id, deleted_at`.execute(tx);
  const row = rows[0];
  return row && !row.deleted_at ? row.id : null;
}

/** Returns false if the chunk exists already. */
export async function insertChunk(
  tx: DbTransaction,
  recordingId: number,
  chunk: { hash: string; size: number },
  { start, end }: Summary,
): Promise<boolean> {
  const added = await tx
    .insertInto('recording_chunks')
    .values({ recording_id: recordingId, ...chunk, start_time: new Date(start), end_time: new Date(end) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return added.numInsertedOrUpdatedRows === 1n;
}

const MAX_URLS = 100;

/** Adds the summary of a chunk to the totals of its recording. */
export async function addToRecording(
  tx: DbTransaction,
  recordingId: number,
  summary: Summary,
  { size, events }: { size: number; events: number },
): Promise<void> {
  const { firstActive, lastActive, urls } = summary;
  const first = firstActive === null ? null : new Date(firstActive);
  await sql`
    update recordings set
      start_url = case when start_url is null or ${new Date(summary.start)} < start_time then coalesce(${urls[0] ?? null}, start_url) else start_url end,
      start_time = least(start_time, ${new Date(summary.start)}),
      end_time = greatest(end_time, ${new Date(summary.end)}),
      click_count = click_count + ${summary.clicks},
      keypress_count = keypress_count + ${summary.keypresses},
      mouse_activity_count = mouse_activity_count + ${summary.mouseActivity},
      console_log_count = console_log_count + ${summary.consoleLogs},
      console_warn_count = console_warn_count + ${summary.consoleWarnings},
      console_error_count = console_error_count + ${summary.consoleErrors},
      active_milliseconds = active_milliseconds + ${summary.activeMs} + case
        when ${first}::timestamptz > last_active_at and ${first}::timestamptz < last_active_at + ${`${ACTIVE_GAP_MS} milliseconds`}::interval
        then round(extract(epoch from ${first}::timestamptz - last_active_at) * 1000)::bigint else 0 end,
      last_active_at = greatest(last_active_at, ${lastActive === null ? null : new Date(lastActive)}::timestamptz),
      urls = case when cardinality(urls) >= ${MAX_URLS} then urls else array(select distinct unnest(urls || ${urls}::text[])) end,
      size = size + ${size},
      event_count = event_count + ${events},
      message_count = message_count + 1
    where id = ${recordingId}`.execute(tx);
}
