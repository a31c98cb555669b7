import { z } from 'zod';
import { bool, list, optional, text } from '../../http/fields.js';
import { personSchema } from '../persons/index.js';

/** Persons of one request. */
const MAX_PERSONS = 1_000;

const what = {
  delete_events: optional(bool()).describe(
    'Whether the events that came until now are deleted, too, for good and also from the disk; within some minutes.',
  ),
  delete_recordings: optional(bool()).describe('Whether the recordings of their sessions are deleted, too.'),
};

export const deletionQuery = z.object(what);

export const bulkSchema = z
  .object({
    ids: optional(list(text({ max: 100 })).check(z.maxLength(MAX_PERSONS))).describe(
      'Numbers or UUIDs of persons, 1,000 at most.',
    ),
    distinct_ids: optional(list(text({ max: 1_000, trim: false })).check(z.maxLength(MAX_PERSONS))).describe(
      'Distinct ids of persons, 1,000 at most.',
    ),
    ...what,
    keep_person: optional(bool()).describe('Only false: a person without a profile comes back with the next event anyway.'),
  })
  .meta({ example: { distinct_ids: ['user-1'], delete_events: true, delete_recordings: true } });

export const bulkAnswer = z.object({
  persons_found: z.int().describe('How many persons have these ids.'),
  persons_deleted: z.int().describe('How many of them this request deleted.'),
  events_queued_for_deletion: z.boolean().describe('Whether their events will be deleted.'),
  recordings_queued_for_deletion: z.boolean().describe('Whether their recordings are deleted; the files go within minutes.'),
  deletion_errors: z.array(z.string()).describe('Always empty: a deletion that fails is an error of the request.'),
});

/** The file of an export. */
export const personExport = z
  .object({
    person: personSchema.describe('The person with their properties.'),
    distinct_ids: z.array(z.string()).describe('All distinct ids.'),
    cohorts: z
      .array(z.object({ id: z.int().describe('Number of the cohort.'), name: z.string().nullable().describe('Its name.') }))
      .describe('The lists (static cohorts) that the person is in. Membership in other cohorts follows from the rest.'),
    feature_flag_overrides: z
      .array(
        z.object({
          flag_key: z.string().describe('Key of the flag.'),
          hash_key: z.string().describe('The id that its value is computed with.'),
        }),
      )
      .describe('Flags whose value is computed with an id of before the person was known.'),
    recordings: z
      .array(
        z.object({
          id: z.string().describe('Id of the session.'),
          start_time: z.iso.datetime().describe('Time of the first snapshot.'),
          end_time: z.iso.datetime().describe('Time of the last snapshot.'),
          start_url: z.string().nullable().describe('Address of the first page.'),
          click_count: z.int().describe('How many clicks there were.'),
          keypress_count: z.int().describe('How many keys were pressed.'),
          bytes: z.int().describe('Bytes of its files.'),
        }),
      )
      .describe('Recorded sessions. `session_recordings/:id/snapshots/` has what was recorded.'),
    events: z
      .array(
        z.object({
          uuid: z.uuid().describe('Id of the event.'),
          event: z.string().describe('Name of the event.'),
          distinct_id: z.string().describe('The distinct id that it came with.'),
          timestamp: z.iso.datetime().describe('When it happened.'),
          properties: z.record(z.string(), z.unknown()).describe('Its properties.'),
          elements_chain: z.string().describe('The element that was clicked, with those around it; empty for other events.'),
          groups: z.array(z.string()).describe('Keys of its groups, by the index of the group type; empty: none.'),
        }),
      )
      .describe('All events, oldest first.'),
  })
  .meta({ id: 'PersonExport', description: 'Everything that is stored about a person.' });
