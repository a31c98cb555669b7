import { z } from 'zod';
import { userSchema } from '../../../auth/index.js';
import { timeSchema } from '../../../http/dates.js';
import { choice, dateTime, object, optional, text } from '../../../http/fields.js';
import { pageOf, pageParameters } from '../../../http/pagination.js';

const MODELS = ['FeatureFlag'] as const;

const payload = object('Payload must be a dictionary.').describe(
  'The change: `operation` `update_status` with a boolean `value`, `add_release_condition` with `{groups, payloads}`, or `update_variants` with `{variants, payloads}`.',
);
const at = dateTime().describe('Time of the change, as an ISO 8601 date-time. Changes in the past are made at once.');

export const createSchema = z
  .object({
    record_id: text({ max: 20 }).describe('Number of the flag.'),
    model_name: choice(MODELS).describe('Always `FeatureFlag`.'),
    payload,
    scheduled_at: at,
  })
  .meta({
    example: {
      record_id: '7',
      model_name: 'FeatureFlag',
      payload: { operation: 'update_status', value: true },
      scheduled_at: '2027-01-04T08:00:00Z',
    },
  });
export type ScheduleFields = z.output<typeof createSchema>;

export const updateSchema = z
  .object({ payload: optional(payload), scheduled_at: optional(at) })
  .meta({ example: { scheduled_at: '2027-01-04T08:00:00Z' } });
export type ScheduleChange = z.output<typeof updateSchema>;

export const listQuery = z.object({
  model_name: optional(text({ max: 100, blank: true })).describe('Only changes of this kind of object.'),
  record_id: optional(text({ max: 100, blank: true })).describe('Only changes of the object with this number.'),
  ...pageParameters,
});
export type ScheduleQuery = z.output<typeof listQuery>;

/** A scheduled change as responses show it. */
export const scheduleSchema = z
  .object({
    id: z.int().describe('Number of the change.'),
    team_id: z.int().describe('Number of the project.'),
    record_id: z.string().describe('Number of the flag, as text.'),
    model_name: z.string().describe('`FeatureFlag`.'),
    payload: z.record(z.string(), z.unknown()).describe('The change.'),
    scheduled_at: timeSchema('Time of the change.'),
    executed_at: timeSchema('When it was made or failed; null: pending.').nullable(),
    failure_reason: z.string().nullable().describe('Why it failed; null if it has not.'),
    created_at: timeSchema('When it was scheduled.'),
    created_by: userSchema.nullable().describe('Who scheduled it; access rules apply to the change as to this user.'),
    updated_at: timeSchema('When the schedule last changed.'),
  })
  .meta({ id: 'ScheduledChange', description: 'A change of a flag that is made at a set time.' });

export const schedulePage = pageOf(scheduleSchema);
