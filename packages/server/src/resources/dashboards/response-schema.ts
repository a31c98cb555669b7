import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { pageOf } from '../../http/pagination.js';
import { insightSchema } from '../insights/index.js';

const free = z.record(z.string(), z.unknown());
const time = (description: string) => z.string().describe(description).meta({ format: 'date-time' });

const head = {
  id: z.int().describe('Number of the dashboard, unique on this server.'),
  name: z.string().nullable().describe('Name; null if it was never given one.'),
  description: z.string().describe('What the dashboard is for; may be empty.'),
  pinned: z.boolean().describe('Whether lists show it first.'),
  created_at: time('When it was made.'),
  created_by: userSchema.nullable().describe('Who made it; null once that user is gone.'),
  is_shared: z.boolean().describe('Whether everybody who has its link can look at it.'),
  deleted: z.boolean().describe('Whether it is deleted; `PATCH` with `deleted: false` restores it.'),
  creation_mode: z
    .enum(['default', 'template', 'duplicate'])
    .describe('How it came to be: empty, from a template, or as a copy of another dashboard.'),
};
const tags = z.array(z.string()).describe('Tags, in lower case, each once.');

const text = z.object({
  id: z.int().describe('Number of the text.'),
  body: z.string().nullable().describe('The text, in Markdown.'),
  created_by: userSchema.nullable().describe('Who wrote it.'),
  last_modified_by: userSchema.nullable().describe('Who last changed it; null if nobody has.'),
  last_modified_at: time('When it was last changed.'),
  team: z.int().describe('The project.'),
});

/** A place on a dashboard as responses show it. */
export const tileSchema = z
  .object({
    id: z.int().describe('Number of the tile.'),
    layouts: free.describe('Place and size per screen: `sm` (12 columns) and `xs` (1 column), each `{x, y, w, h, minW, minH}`.'),
    color: z.string().nullable().describe('Color of the tile.'),
    order: z.int().describe('Position among the tiles as one reads them, from 0.'),
    insight: insightSchema.nullable().describe('The insight that it shows; null for texts.'),
    text: text.nullable().describe('The text that it shows; null for insights.'),
    last_refresh: time('When the insight’s result was computed; null while there is none.').nullable(),
    is_cached: z.boolean().describe('Whether the result was computed before this request.'),
    error: z
      .object({
        type: z.string().describe('Sort of the fault, as in refusals.'),
        code: z.string().describe('The fault, as in refusals.'),
        message: z.string().describe('Why, for people.'),
      })
      .nullable()
      .describe('Why the result of the insight could not be computed; null if nothing was wrong.'),
  })
  .meta({ id: 'DashboardTile', description: 'A place on a dashboard for an insight or a text.' });

/** A dashboard in lists. */
export const itemSchema = z
  .object({ ...head, tags, ...accessFieldsSchema })
  .meta({ id: 'DashboardItem', description: 'A dashboard in a list.' });

export const dashboardPage = pageOf(itemSchema);

/** A dashboard in full. */
export const dashboardSchema = z
  .object({
    ...head,
    use_template: z.string().nullable().describe('The template that it was made from.'),
    use_dashboard: z.int().nullable().describe('The dashboard that it was copied from.'),
    delete_insights: z.boolean().describe('What was last sent of it.'),
    filters: free.describe('Laid over the filters of the insights on it.'),
    variables: free.describe('Values of query variables, keyed by the UUID of the variable.'),
    tags,
    tiles: z.array(tileSchema).describe('What is on it, in reading order.'),
    ...accessFieldsSchema,
  })
  .meta({ id: 'Dashboard', description: 'A page of insights and texts.' });

export const dashboardParams = { id: z.int().describe('The dashboard.') };
