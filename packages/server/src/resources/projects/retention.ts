import { z } from 'zod';
import type { Deps } from '../../deps.js';
import { isoTime } from '../../http/dates.js';
import { choice, integerFrom, nullable, optional } from '../../http/fields.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { eventsKeptFrom } from '../../purge/index.js';
import { agesOf, readProject } from './store.js';

const DAY_MS = 86_400_000;

/** Days of the retention periods of recordings, which have names as PostHog's. */
const RECORDING_DAYS = { '30d': 30, '90d': 90, '1y': 365, '5y': 1_826 } as const;
type RecordingPeriod = keyof typeof RECORDING_DAYS;
const isPeriod = (value: unknown): value is RecordingPeriod => typeof value === 'string' && Object.hasOwn(RECORDING_DAYS, value);

const days = (of: string) =>
  optional(nullable(integerFrom(1, 36_500))).describe(`${of}, as the setting of this name; by default as it is set.`);

/** Settings to try out. */
export const retentionQuery = z.object({
  events_retention_days: days('For how many days events are kept'),
  session_recording_retention_period: optional(choice(['30d', '90d', '1y', '5y'])).describe(
    'How long recordings are kept; by default as it is set.',
  ),
  exports_retention_days: days('For how many days exports are kept'),
  activity_retention_days: days('For how many days entries of the activity log are kept'),
});
type RetentionQuery = z.output<typeof retentionQuery>;

const ofKind = (what: string) =>
  z
    .object({
      kept_from: z.iso.datetime().nullable().describe('Older ones are deleted; null: none is.'),
      total: z.int().describe('How many there are.'),
      deleted: z.int().describe('How many of them would be deleted now.'),
      oldest: z.iso.datetime().nullable().describe('Time of the oldest; null: there is none.'),
    })
    .describe(what);

/** What settings would delete. */
export const retentionPreview = z
  .object({
    events: ofKind('Events, by their time. Whole days (UTC) are deleted.'),
    recordings: ofKind('Recordings, by their end.'),
    exports: ofKind('Exports, by when they were asked for. They may expire earlier by themselves.'),
    activity: ofKind('Entries of the activity log.'),
  })
  .meta({ id: 'RetentionPreview', description: 'What retention settings would delete now, by kind.' });

/** Counts what the settings of a query, or else of the project, would delete now. */
export async function previewRetention({ db, events, clock }: Deps, projectId: number, query: RetentionQuery) {
  const project = await readProject(db, projectId);
  if (!project) throw new ApiError('not_found', 'Project not found.');
  const stored = isObject(project.settings) ? project.settings : {};
  const now = clock.now();
  const daysOf = (name: 'events_retention_days' | 'exports_retention_days' | 'activity_retention_days'): number | null => {
    const value = query[name] ?? stored[name];
    return typeof value === 'number' ? value : null;
  };
  const before = (days: number | null): Date | null => (days === null ? null : new Date(now - days * DAY_MS));
  const period = query.session_recording_retention_period ?? stored['session_recording_retention_period'];
  const from = {
    recordings: before(isPeriod(period) ? RECORDING_DAYS[period] : null),
    exports: before(daysOf('exports_retention_days')),
    activity: before(daysOf('activity_retention_days')),
  };
  const eventDays = daysOf('events_retention_days');
  const eventsFrom = eventDays === null ? null : new Date(eventsKeptFrom(eventDays, now));
  const [rows, ofEvents] = await Promise.all([agesOf(db, projectId, from), eventAges(events, projectId, eventsFrom)]);
  const view = (from: Date | null, { total, old, oldest }: { total: number; old: number; oldest: Date | null }) => ({
    kept_from: from && isoTime(from),
    total,
    deleted: old,
    oldest: oldest && isoTime(oldest),
  });
  return {
    events: view(eventsFrom, ofEvents),
    recordings: view(from.recordings, rows.recordings),
    exports: view(from.exports, rows.exports),
    activity: view(from.activity, rows.activity),
  };
}

async function eventAges(events: Deps['events'], projectId: number, before: Date | null) {
  const { rows } = await events.query<{ total: number; old: number; oldest: number }>({
    sql: `select count() as total, countIf(toUnixTimestamp64Milli(timestamp) < {before:Int64}) as old,
      toUnixTimestamp64Milli(min(timestamp)) as oldest from events where project_id = {project:UInt32}`,
    params: { project: projectId, before: before?.getTime() ?? -9e15 },
    tenant: projectId,
  });
  const { total = 0, old = 0, oldest = 0 } = rows[0] ?? {};
  return { total, old, oldest: total > 0 ? new Date(oldest) : null };
}
