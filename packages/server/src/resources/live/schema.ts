import { z } from 'zod';
import { optional, uuid } from '../../http/fields.js';
import { propertyFilters, word } from '../events/index.js';

/** Which events a stream has. */
export const liveQuery = z.object({
  event: word('Only events of this name.'),
  distinct_id: word('Only events captured under this distinct id.'),
  person_id: optional(z.union([z.literal(''), uuid()])).describe('Only events of the person with this UUID.'),
  properties: propertyFilters(20_000),
});
export type LiveQuery = z.output<typeof liveQuery>;

export const activitySchema = z
  .object({
    active_people: z.int().describe('People with an event in the last 30 minutes.'),
    events: z.int().describe('Events of the last 30 minutes.'),
    per_minute: z.array(z.int()).describe('Events of each of these minutes, the present one last.'),
  })
  .meta({ id: 'RecentActivity', description: 'What happened in the last half hour.' });
