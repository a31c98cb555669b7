import { z } from 'zod';
import { timeSchema } from './dates.js';

/** The response of the routes that record that the caller viewed an object. */
export const viewedSchema = z.object({
  id: z.int().describe('Number of the object.'),
  last_viewed_at: timeSchema('When you viewed it: now.'),
});
