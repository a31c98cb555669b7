import { z } from 'zod';
import { userSchema } from '../../../auth/index.js';
import { choice, dateTime, object, optional, text } from '../../../http/fields.js';
import { pageOf, pageParameters } from '../../../http/pagination.js';

const MODELS = ['FeatureFlag'] as const;

const payload = object('Payload must be a dictionary.').describe(
  'What is to happen: `operation` `update_status` with a boolean `value`, `add_release_condition` with `{groups, payloads}`, or `update_variants` with `{variants, payloads}`.',
);
const at = dateTime().describe('When, as an ISO 8601 date-time. A time in the past: at once.');

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

const time = (description: string) => z.string().describe(description).meta({ format: 'date-time' });

/** A scheduled change as responses show it. */
export const scheduleSchema = z
  .object({
    id: z.int().describe('Number of the change.'),
    team_id: z.int().describe('The project.'),
    record_id: z.string().describe('Number of the flag, as text.'),
    model_name: z.string().describe('`FeatureFlag`.'),
    payload: z.record(z.string(), z.unknown()).describe('What is to happen.'),
    scheduled_at: time('When it is to happen.'),
    executed_at: time('When it was made or has failed; null: it is still to come.').nullable(),
    failure_reason: z.string().nullable().describe('Why it could not be made; null unless it has failed.'),
    created_at: time('When it was scheduled.'),
    created_by: userSchema.nullable().describe('Who scheduled it; the change is made with their rights.'),
    updated_at: time('When the schedule last changed.'),
  })
  .meta({ id: 'ScheduledChange', description: 'A change of a flag that is made at a set time.' });

export const schedulePage = pageOf(scheduleSchema);
