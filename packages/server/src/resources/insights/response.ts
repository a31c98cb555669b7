import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { pageOf } from '../../http/pagination.js';

const time = (description: string) => z.string().describe(description).meta({ format: 'date-time' });
const free = z.record(z.string(), z.unknown());
const { effective_restriction_level, effective_privilege_level, user_access_level } = accessFieldsSchema;

const place = z.object({
  id: z.int().describe('The tile.'),
  dashboard_id: z.int().describe('The dashboard that the tile is on.'),
  deleted: z.boolean().describe('Always false: removed tiles are left out.'),
});

/** What lists show with `basic=true`. */
const basic = {
  id: z.int().describe('Number of the insight.'),
  short_id: z.string().describe('8 characters that stand for the insight in addresses.'),
  name: z.string().nullable().describe('Name that a person gave it.'),
  derived_name: z.string().nullable().describe('Name made from the query, for insights without one.'),
  query: free.nullable().describe('The question as data: a node with a `kind`, most often wrapped in an `InsightVizNode`.'),
  filters: free.describe('The question in its older form; `{}` for insights with a query.'),
  dashboards: z.array(z.int()).describe('The dashboards that it is on.'),
  dashboard_tiles: z.array(place).describe('Its tiles on these dashboards.'),
  description: z.string().describe('What it shows; may be empty.'),
  last_refresh: time('When the result was computed; null while there is none.').nullable(),
  saved: z.boolean().describe('Whether somebody saved it, rather than only looked at it.'),
  tags: z.array(z.string()).describe('Tags, in lower case.'),
  favorited: z.boolean().describe('Whether it is marked as a favourite.'),
  created_at: time('When it was made.'),
  created_by: userSchema.nullable().describe('Who made it; null for samples and users who are gone.'),
  updated_at: time('When anything of it last changed.'),
  last_modified_at: time('When its content last changed.'),
  user_access_level,
};

/** What an insight has beyond that. */
const more = {
  order: z.int().nullable().describe('Position that older clients keep.'),
  deleted: z.boolean().describe('Whether it is deleted; deleted ones can be restored.'),
  last_modified_by: userSchema.nullable().describe('Who last changed its content.'),
  is_sample: z.boolean().describe('Whether it came with a template and nobody has changed it.'),
  effective_restriction_level: effective_restriction_level.describe(
    'The highest restriction among its dashboards: 21 everyone can edit, 37 collaborators only.',
  ),
  effective_privilege_level: effective_privilege_level.describe(
    'What these restrictions leave to you: 37 can edit if you may edit one of its dashboards or it is on none, else 21.',
  ),
  timezone: z.string().nullable().describe('Time zone in which days of the result begin.'),
  result: z.unknown().describe('What the query found; null until it is computed.'),
  hasMore: z.boolean().nullable().describe('Whether the query found more rows than it gives.'),
  columns: z.array(z.unknown()).nullable().describe('Names of the columns of a table.'),
  types: z.array(z.unknown()).nullable().describe('Types of the columns of a table.'),
  hogql: z.string().nullable().describe('The query as text, where it has that form.'),
  is_cached: z.boolean().describe('Whether the result was computed before this request.'),
  query_status: free.nullable().describe('How far a computation in the background is.'),
  cache_target_age: time('Until when the result counts as fresh.').nullable(),
  next_allowed_client_refresh: time('From when on it may be computed again.').nullable(),
};

/** An insight as responses show it. */
export const insightSchema = z
  .object({ ...basic, ...more })
  .meta({ id: 'Insight', description: 'A saved question about events, and what it found.' });

/** An insight in lists: with `basic=true` the optional fields are left out. */
export const insightItemSchema = z
  .object({ ...basic, ...z.object(more).partial().shape })
  .meta({ id: 'InsightItem', description: 'An insight in a list. With `basic=true` the optional fields are left out.' });

export const insightPage = pageOf(insightItemSchema);

/** When the caller looked at an insight. */
export const viewedSchema = z.object({
  id: z.int().describe('The insight.'),
  last_viewed_at: time('When you looked at it, as noted now.'),
});
