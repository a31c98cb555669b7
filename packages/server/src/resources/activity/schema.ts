import { z } from 'zod';
import { dateParameter } from '../../analytics/index.js';
import { userSchema } from '../../auth/index.js';
import { optional, text, uuid } from '../../http/fields.js';
import { pageParameters } from '../../http/pagination.js';

const word = () => optional(text({ max: 400, blank: true }));

const who = optional(uuid()).describe('Only what this user did (uuid).');
const what = word().describe('Only this kind of change, such as `updated`. Empty: all.');

/** Query parameters of the log of a project or organization. */
export const logQuery = z.object({
  scope: word().describe('Only this kind of object, such as `Dashboard`. Empty: all.'),
  item_id: word().describe('Only the object with this id. Empty: all.'),
  user: who,
  activity: what,
  date_from: dateParameter.describe(
    'Only what happened since this date, date-time or relative date (`-7d`), in the zone of the project.',
  ),
  date_to: dateParameter.describe('Only what happened until this date (the day included), date-time or relative date.'),
  ...pageParameters,
});
export type LogQuery = z.output<typeof logQuery>;

/** Query parameters of the log of one object. */
export const itemLogQuery = z.object({ user: who, activity: what, ...pageParameters });

const change = z
  .object({
    type: z.string().describe('The kind of object that has the field.'),
    action: z.enum(['changed', 'created', 'deleted']).describe('`created`: there was no value; `deleted`: there is none now.'),
    field: z.string().describe('The field.'),
    before: z.unknown().describe('What it was. Null if there was nothing, and for secrets.'),
    after: z.unknown().describe('What it became. Null if nothing, and for secrets.'),
  })
  .meta({
    description: 'What one field was and became.',
    example: { type: 'Dashboard', action: 'changed', field: 'name', before: 'Launch', after: 'Growth' },
  });

const detail = z
  .object({
    name: z.string().nullable().describe('What the object is called.'),
    short_id: z.string().nullable().describe('Its short id, for objects that have one.'),
    changes: z.array(change).describe('What changed. Empty where the activity says it all.'),
    trigger: z
      .object({ job_type: z.string().describe('Kind of job.'), job_id: z.string().describe('Which one.') })
      .nullable()
      .describe('The job that made the change; null when a request did.'),
    type: z.string().nullable().describe('Kind within the scope, if there are several.'),
  })
  .meta({ description: 'What was changed, and how.' });

const imported = z
  .object({
    author: z.string().nullable().describe('Who did it, in words of the other service; null if it named nobody.'),
    by: userSchema.nullable().describe('Who imported it; null for users who are gone.'),
    at: z.iso.datetime().describe('When it was imported.'),
  })
  .meta({ description: 'How an entry of another service came into the log.' });

/** An entry as responses show it. */
export const activitySchema = z
  .object({
    id: z.uuid().describe('Id of the entry.'),
    user: userSchema.nullable().describe('Who did it; null for the service itself and for users who are gone.'),
    unread: z.boolean().describe('Always false: entries are not marked as read.'),
    activity: z.string().describe('What happened: `created`, `updated`, `deleted`, `restored`, …'),
    scope: z.string().describe('The kind of object.'),
    item_id: z.string().nullable().describe("The object's id; null if it has none to tell."),
    detail: detail.describe('What was changed, and how.'),
    created_at: z.iso.datetime().describe('When.'),
    imported: imported.optional().describe('Only for entries of another service: there, not here, it happened.'),
  })
  .meta({
    id: 'Activity',
    description: 'Who changed what, and when.',
    example: {
      id: '0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1',
      user: null,
      unread: false,
      activity: 'updated',
      scope: 'Dashboard',
      item_id: '7',
      detail: {
        name: 'Growth',
        short_id: null,
        changes: [{ type: 'Dashboard', action: 'changed', field: 'name', before: 'Launch', after: 'Growth' }],
        trigger: null,
        type: null,
      },
      created_at: '2026-05-02T10:15:00.250000Z',
    },
  });
