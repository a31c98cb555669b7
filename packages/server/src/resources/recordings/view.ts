import { isoTime } from '../../http/dates.js';
import type { showPersons } from '../persons/index.js';
import type { RecordingRow } from './store.js';

/** A recording without new snapshots for this time is over. */
const ONGOING_MS = 5 * 60_000;

type Person = Awaited<ReturnType<typeof showPersons>>[number];

/** A recording in responses to a viewer. */
export function recordingView(row: RecordingRow, person: Person | null, { email, now }: { email: string; now: number }) {
  const duration = Math.round((row.end_time.getTime() - row.start_time.getTime()) / 1000);
  const active = Math.min(duration, Math.round(row.active_milliseconds / 1000));
  return {
    id: row.session_id,
    distinct_id: row.distinct_id,
    viewed: row.viewers.includes(email),
    viewers: row.viewers.filter((viewer) => viewer !== email),
    recording_duration: duration,
    active_seconds: active,
    inactive_seconds: duration - active,
    start_time: isoTime(row.start_time),
    end_time: isoTime(row.end_time),
    click_count: row.click_count,
    keypress_count: row.keypress_count,
    mouse_activity_count: row.mouse_activity_count,
    console_log_count: row.console_log_count,
    console_warn_count: row.console_warn_count,
    console_error_count: row.console_error_count,
    start_url: row.start_url,
    person,
    storage: 'object_storage_v2',
    snapshot_source: row.snapshot_source,
    snapshot_library: row.snapshot_library,
    ongoing: now - row.updated_at.getTime() < ONGOING_MS,
    activity_score: row.activity_score,
  };
}
