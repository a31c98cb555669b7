import { z } from 'zod';
import { EVERYONE_EDITS, ONLY_COLLABORATORS_EDIT } from '../../access/index.js';
import { bool, integer, integerChoice, list, nullable, object, optional, tagList, text } from '../../http/fields.js';
import { unsupported } from '../../http/unsupported.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { fieldsSchema } from '../insights/index.js';
import { templateSchema } from '../templates/index.js';

// the order of the fields is that in which the first fault is looked for
const common = {
  name: optional(nullable(text({ max: 400, blank: true }))).describe('Name; null for none.'),
  description: optional(text({ blank: true })).describe('What the dashboard is for; may be empty.'),
  pinned: optional(bool()).describe('Whether lists show it first.'),
  deleted: optional(bool()).describe('True deletes the dashboard softly, false restores it.'),
  use_template: optional(nullable(text({ blank: true }))).describe(
    'Template to start from: `DEFAULT_APP`, `WEBSITE_TRAFFIC` or the name of one of the project’s. Only looked at on creation.',
  ),
  use_dashboard: optional(nullable(integer({ bounded: false }))).describe('Dashboard to copy. Only looked at on creation.'),
  delete_insights: optional(bool()).describe(
    'With `deleted: true`: whether insights that are on no other dashboard are deleted, too.',
  ),
  tags: optional(nullable(tagList)).describe('All the tags; stored in lower case, each once. Null changes nothing.'),
  restriction_level: optional(integerChoice([EVERYONE_EDITS, ONLY_COLLABORATORS_EDIT])).describe(
    'Who may edit: 21 everyone in the project, 37 only its creator, administrators and collaborators.',
  ),
  filters: z
    .unknown()
    .optional()
    .describe('Laid over the filters of the insights on it: `date_from`, `date_to`, `properties`, …. `{}` clears them.')
    .meta({ type: 'object' }),
  variables: z
    .unknown()
    .optional()
    .describe('Values of query variables, keyed by the UUID of the variable: `{code_name, variableId, value}`. `{}` clears them.')
    .meta({ type: 'object' }),
};

/** Filters or variables as somebody sent them; null and nothing change nothing. Faults are those of the whole body. */
function dictionary(value: unknown, ctx: z.core.$RefinementCtx<unknown>): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  ctx.addIssue({ code: 'custom', message: 'Filters must be a dictionary', params: { code: 'invalid_input' }, input: value });
  return z.NEVER;
}

const tileText = z.object(
  {
    id: optional(nullable(integer())).describe('The text to change, when the tile’s own id is not given.'),
    body: optional(nullable(text({ max: 4000, blank: true, trim: false }))).describe('The text, in Markdown.'),
  },
  { error: 'Expected an object with the body of the text.' },
);

/** What a new tile says of its insight: its number, or what to make. */
export const insightOfTile = z.preprocess(
  (value) => (typeof value === 'number' ? { id: value } : value),
  fieldsSchema.extend({ id: optional(nullable(integer())), short_id: optional(nullable(text({ max: 400 }))) }),
);
export type InsightOfTile = z.output<typeof insightOfTile>;

const tile = z.object(
  {
    id: optional(nullable(integer())).describe('The tile to change; none makes a new one of the text.'),
    text: optional(nullable(tileText)).describe('Of a tile with a text: what it says.'),
    insight: z
      .unknown()
      .optional()
      .describe(
        'Of a new tile with an insight: `{ "id" }` of one of the project, with `short_id` to be sure, or what to make: `name`, `query` and so on, as `GET` tells it. Of a tile that is there it counts for nothing.',
      ),
    button_tile: unsupported('Tiles hold texts or insights.'),
    filters_overrides: unsupported('Tiles have no filters of their own: change those of the insight.'),
    layouts: optional(nullable(object())).describe('Place and size per screen: `sm` (12 columns) and `xs` (1 column).'),
    color: optional(nullable(text({ max: 400, blank: true }))).describe('Color of the tile.'),
    deleted: optional(nullable(bool())).describe('True takes the tile off the dashboard.'),
  },
  { error: 'Expected a tile: an object with the id of one, or a text.' },
);
export type TileFields = z.output<typeof tile>;

/** What a dashboard is created with. */
export const createSchema = z
  .object({
    ...common,
    tiles: optional(nullable(list(tile))).describe(
      'Tiles to put on it: texts, insights of the project, and new insights. The ids of tiles count for nothing.',
    ),
    duplicate_tiles: optional(bool()).describe(
      'With `use_dashboard`: whether insights and texts are copied, too, instead of being on both dashboards. They always are for who may not edit that dashboard.',
    ),
  })
  .meta({ example: { name: 'Key numbers', description: 'What we look at on Mondays.', pinned: true, tags: ['growth'] } })
  .transform((body, ctx) => {
    if (body.use_template && body.use_dashboard) {
      const message = '`use_dashboard` and `use_template` cannot be used together';
      ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, input: body });
    }
    if (body.tiles?.length && (body.use_template || body.use_dashboard)) {
      const message = 'Tiles cannot be sent with `use_template` or `use_dashboard`: add them afterwards.';
      ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, path: ['tiles'], input: body });
    }
    return { ...body, filters: dictionary(body.filters, ctx), variables: dictionary(body.variables, ctx) };
  });
export type CreateFields = z.output<typeof createSchema>;

const copy = z.object(
  {
    id: integer().describe('The tile to copy.'),
    layouts: optional(nullable(object())).describe('Place of the copy, if it is another.'),
  },
  { error: 'Expected an object with the id of a tile.' },
);
export type CopyFields = z.output<typeof copy>;

/** What may be changed of a dashboard. */
export const patchSchema = z
  .object({
    ...common,
    tiles: optional(nullable(list(tile))).describe('Tiles to add or change; tiles not named stay as they are.'),
    duplicate_tiles: optional(nullable(list(copy))).describe('Tiles to copy, with what they show, on the same dashboard.'),
  })
  .meta({ example: { pinned: false, tiles: [{ text: { body: 'Hello' }, layouts: { sm: { x: 0, y: 0, w: 6, h: 2 } } }] } })
  .transform((body, ctx) => ({
    ...body,
    filters: dictionary(body.filters, ctx),
    variables: dictionary(body.variables, ctx),
  }));
export type PatchFields = z.output<typeof patchSchema>;

/** A template that is sent along. */
export const fromTemplateSchema = z
  .object({ template: templateSchema.describe('The dashboard as data.') })
  .meta({ example: { template: { template_name: 'Notes', tiles: [{ type: 'TEXT', body: 'Hello' }] } } });

export const moveSchema = z
  .object({
    tile: z
      .object({ id: integer().describe('The tile.') }, { error: 'Expected an object with the id of the tile.' })
      .describe('What to move.'),
    toDashboard: integer().describe('The dashboard to move it to.'),
  })
  .meta({ example: { tile: { id: 17 }, toDashboard: 4 } });
