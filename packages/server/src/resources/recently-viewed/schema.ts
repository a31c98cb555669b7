import { z } from 'zod';
import { timeSchema } from '../../http/dates.js';
import { integer, optional } from '../../http/fields.js';

/** The kinds of objects whose views are recorded. */
export const VIEWED_KINDS = ['dashboard', 'insight', 'feature_flag', 'session_recording'] as const;
export type ViewedKind = (typeof VIEWED_KINDS)[number];

const MOST = 50;

export const listQuery = z.object({
  limit: optional(integer())
    .transform((given) => Math.min(MOST, Math.max(1, given ?? 20)))
    .describe(`How many objects, 1 to ${MOST}; 20 if left out.`),
});

export const viewedListSchema = z.array(
  z
    .object({
      kind: z.enum(VIEWED_KINDS).describe('What it is.'),
      id: z.string().describe('Its id, as paths of the API have it: a number, or the id of a recorded session.'),
      short_id: z.string().nullable().describe('Short id of an insight.'),
      name: z
        .string()
        .nullable()
        .describe(
          'Its name: the key of a flag, the first page of a recording, for an insight without a name what its query shows.',
        ),
      last_viewed_at: timeSchema('When you viewed it last.'),
    })
    .meta({ id: 'RecentlyViewed', description: 'An object that you viewed.' }),
);
