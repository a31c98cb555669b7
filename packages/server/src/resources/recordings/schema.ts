import { z } from 'zod';
import { bool, choice, list, nullable, optional, text } from '../../http/fields.js';
import { pageParameters } from '../../http/pagination.js';
import { queryValues } from '../../http/validate.js';
import { personSchema } from '../persons/index.js';

/** Most recordings that one request deletes. */
const MAX_DELETED = 100;

/** The parameter of paths to one recording. */
export const recordingParams = { id: z.string().describe('Id of the recorded session.') };

export const ORDERS = [
  'start_time',
  'end_time',
  'recording_duration',
  'active_seconds',
  'inactive_seconds',
  'click_count',
  'keypress_count',
  'mouse_activity_count',
  'console_error_count',
  'activity_score',
] as const;
export type Order = (typeof ORDERS)[number];

const word = (description: string) => optional(text({ max: 1000, blank: true })).describe(description);

const seconds = (description: string) =>
  optional(
    text({ max: 20 }).transform((value, ctx) => {
      const number = Number(value);
      if (number >= 0 && number <= 1e9) return number;
      ctx.addIssue({ code: 'custom', message: 'A valid number is required.', params: { code: 'invalid_input' }, input: value });
      return z.NEVER;
    }),
  )
    .meta({ type: 'number' })
    .describe(description);

export const playerQuery = z.object({
  t: word('Where playback starts, seconds from the start of the recording.'),
  theme: optional(choice(['light', 'dark', 'system'])).describe('Its colors; `system` by default.'),
});

export const recordingQuery = z.object({
  date_from: word(
    'Only sessions that began at or after this: a date, a date-time, or such as `-7d`. Default: `-7d`; `all` for all.',
  ),
  date_to: word('Only sessions that began up to this: a date (to its end) or a date-time.'),
  session_ids: queryValues(text({ max: 100 })).describe('Only these sessions; dates then count only when given.'),
  distinct_ids: queryValues(text({ max: 400 })).describe('Only sessions of these distinct ids.'),
  person_uuid: word('Only sessions of this person.'),
  min_duration: seconds('Only sessions of at least so many seconds.'),
  max_duration: seconds('Only sessions of at most so many seconds.'),
  url: word('Only sessions in which an address was seen that contains this.'),
  events: queryValues(text({ max: 400 })).describe('Only sessions in which all of these events were captured, by name.'),
  snapshot_source: optional(choice(['web', 'mobile'])).describe('Only sessions of sites or of apps.'),
  order: optional(choice(ORDERS)).describe('What the list is ordered by; `start_time` by default.'),
  order_direction: optional(choice(['ASC', 'DESC'])).describe('`DESC` by default: the newest or largest first.'),
  ...pageParameters,
});
export type RecordingQuery = z.output<typeof recordingQuery>;

const count = (description: string) => z.int().describe(description);
const time = (description: string) => z.iso.datetime().describe(description);

/** A recording as the API shows it, without its snapshots. */
export const recordingSchema = z
  .object({
    id: z.string().describe('Id of the session.'),
    distinct_id: z.string().describe('Whose session it was.'),
    viewed: z.boolean().describe('Whether you have looked at it.'),
    viewers: z.array(z.string()).describe('E-mail addresses of the others who have.'),
    recording_duration: count('Seconds from the first snapshot to the last.'),
    active_seconds: count('Seconds in which the person did something.'),
    inactive_seconds: count('The other seconds.'),
    start_time: time('When the first snapshot was taken.'),
    end_time: time('When the last was.'),
    click_count: count('Clicks.'),
    keypress_count: count('Changes of inputs.'),
    mouse_activity_count: count('Movements and clicks of the mouse, and touches.'),
    console_log_count: count('Lines in the console.'),
    console_warn_count: count('Warnings in the console.'),
    console_error_count: count('Errors in the console.'),
    start_url: z.string().nullable().describe('The first page.'),
    person: personSchema.nullable().describe('Who it was; null when no profile was made, or persons are hidden from you.'),
    storage: z.literal('object_storage_v2').describe('Where its snapshots lie.'),
    snapshot_source: z.enum(['web', 'mobile']).describe('Whether a site or an app was recorded.'),
    snapshot_library: z.string().describe('Name of the library that recorded it.'),
    ongoing: z.boolean().describe('Whether snapshots came in the last five minutes.'),
    activity_score: z.number().describe('How much happened, from 0 to 100.'),
  })
  .meta({ id: 'SessionRecording', description: 'A recorded session.' });

export const recordingPage = z.object({
  has_next: z.boolean().describe('Whether there are more after this page.'),
  results: z.array(recordingSchema).describe('This page.'),
});

/** Body of a request that changes a recording. */
export const patchSchema = z
  .object({ viewed: optional(nullable(bool())).describe('Notes that you have looked at it, or takes the note back.') })
  .meta({ example: { viewed: true } });

export const bulkSchema = z
  .object({
    session_recording_ids: list(text({ max: 100 }))
      .check(z.minLength(1), z.maxLength(MAX_DELETED))
      .describe('Ids of the sessions, 100 at most.'),
  })
  .meta({ example: { session_recording_ids: ['0190a0b0-0000-7000-8000-00000000000a'] } });

export const bulkAnswer = z.object({
  success: z.literal(true).describe('Always true.'),
  deleted_count: z.int().describe('How many there were.'),
  total_requested: z.int().describe('Number of ids in the request.'),
});

/** Parameters of a request for snapshots. */
export const snapshotQuery = z.object({
  source: optional(choice(['blob_v2'])).describe('Left out: the list of blocks. `blob_v2`: the snapshots of some blocks.'),
  blob_v2: word('Taken and not needed: the list of blocks is always of this kind.'),
  start_blob_key: word('First block.'),
  end_blob_key: word('Last block; the first by default. At most 20 in one request.'),
  blob_key: word('One block, instead of the first and the last.'),
});

export const sourcesSchema = z.object({
  sources: z
    .array(
      z.object({
        source: z.literal('blob_v2').describe('Where it lies.'),
        start_timestamp: time('Time of its first snapshot.'),
        end_timestamp: time('Time of its last snapshot.'),
        blob_key: z.string().describe('Number of the block.'),
      }),
    )
    .describe('Blocks of the recording, in order.'),
});
