import { z } from 'zod';
import { optional, text, uuid } from '../../http/fields.js';

const word = (description: string) => optional(text({ max: 1000, blank: true, trim: false })).describe(description);

/** A parameter with property filters as JSON text. */
const properties = text({ max: 20_000, blank: true }).transform((value, ctx): unknown => {
  if (value === '') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    ctx.addIssue({ code: 'custom', message: 'Expected a JSON list of property filters.', params: { code: 'invalid_input' } });
    return z.NEVER;
  }
});

/** Which events a stream has. */
export const liveQuery = z.object({
  event: word('Only events of this name.'),
  distinct_id: word('Only events captured under this distinct id.'),
  person_id: optional(z.union([z.literal(''), uuid()])).describe('Only events of the person with this UUID.'),
  properties: optional(properties).describe('Property filters, as JSON text.').meta({ type: 'string' }),
});
export type LiveQuery = z.output<typeof liveQuery>;

export const activitySchema = z
  .object({
    active_people: z.int().describe('People with an event in the last 30 minutes.'),
    events: z.int().describe('Events of the last 30 minutes.'),
    per_minute: z.array(z.int()).describe('Events of each of these minutes, the present one last.'),
  })
  .meta({ id: 'RecentActivity', description: 'What happened in the last half hour.' });
