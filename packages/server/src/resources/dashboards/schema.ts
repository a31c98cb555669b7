import { z } from 'zod';
import { accessFieldsSchema, EVERYONE_EDITS, ONLY_COLLABORATORS_EDIT } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import { bool, integer, integerChoice, list, nullable, object, optional, tagList, text, unsupported } from '../../http/fields.js';
import { pageOf, pageParameters } from '../../http/pagination.js';
import { queryValues } from '../../http/validate.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { fieldsSchema, insightSchema } from '../insights/index.js';
import { overrideParam, refreshParam, stalenessParam } from '../results/index.js';
import { templateSchema } from '../templates/index.js';

/** The parameter of paths to one dashboard. */
export const dashboardParams = { id: z.int().describe('The dashboard.') };

/** Query parameters of one dashboard. */
export const retrieveQuery = z.object({
  filters_override: overrideParam('filters_override').describe(
    'JSON object that overrides the dashboard’s filters, for this response alone.',
  ),
  variables_override: overrideParam('variables_override').describe(
    'JSON object that overrides the variables, for this response alone.',
  ),
  refresh: refreshParam,
  staleness: stalenessParam,
});
export type RetrieveQuery = z.output<typeof retrieveQuery>;

const cleaned = (value: unknown): string => (typeof value === 'string' ? value.replaceAll('\0', '').trim() : '');

/** A text parameter; values of other types are ignored. */
const word = z.unknown().transform((value) => cleaned(value) || undefined);

/** A tag to search for. A value that cannot be a tag matches nothing. */
const anyTag = z.unknown().transform((value) => cleaned(value).toLowerCase());

/** Query parameters of the list. */
export const listQuery = z.object({
  ...pageParameters,
  search: optional(word).describe('Part of the name or description, in any case.').meta({ type: 'string' }),
  tags: queryValues(anyTag).describe('Only dashboards with any of these tags.'),
  creation_mode: optional(word)
    .describe('Only dashboards made this way: `default`, `template` or `duplicate`.')
    .meta({ type: 'string' }),
  exclude_generated: optional(word.transform((value) => value === 'true' || value === '1'))
    .describe('Leaves out dashboards that other features made.')
    .meta({ type: 'boolean' }),
});

// fields are validated in this order, and the first error is the response
const common = {
  name: optional(nullable(text({ max: 400, blank: true }))).describe('Name; null for none.'),
  description: optional(text({ blank: true })).describe('What the dashboard is for; may be empty.'),
  pinned: optional(bool()).describe('Whether lists show it first.'),
  deleted: optional(bool()).describe('True deletes the dashboard softly, false restores it.'),
  use_template: optional(nullable(text({ blank: true }))).describe(
    'Template to start from: `DEFAULT_APP`, `WEBSITE_TRAFFIC`, `RETENTION`, `ACQUISITION` or the name of one of the project’s. Ignored in updates.',
  ),
  use_dashboard: optional(nullable(integer({ bounded: false }))).describe('Dashboard to copy. Ignored in updates.'),
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
    .describe('Overrides the filters of its insights: `date_from`, `date_to`, `properties`, …. `{}` clears them.')
    .meta({ type: 'object' }),
  variables: z
    .unknown()
    .optional()
    .describe('Values of query variables, keyed by the UUID of the variable: `{code_name, variableId, value}`. `{}` clears them.')
    .meta({ type: 'object' }),
};

/** Reads filters or variables; null and undefined change nothing. Errors are about the whole body. */
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

/** The insight of a new tile: the id of an existing one, or the fields of a new one. */
export const insightOfTile = z.preprocess(
  (value) => (typeof value === 'number' ? { id: value } : value),
  fieldsSchema.extend({ id: optional(nullable(integer())), short_id: optional(nullable(text({ max: 400 }))) }),
);
export type InsightOfTile = z.output<typeof insightOfTile>;

const tile = z.object(
  {
    id: optional(nullable(integer())).describe('The tile to change; none makes a new one of the text.'),
    text: optional(nullable(tileText)).describe('The text of a text tile.'),
    insight: z
      .unknown()
      .optional()
      .describe(
        'Of a new tile with an insight: `{ "id" }` of one of the project, with `short_id` to be sure, or what to make: `name`, `query` and so on, as `GET` returns it. Ignored for an existing tile.',
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

/** The body of POST. */
export const createSchema = z
  .object({
    ...common,
    tiles: optional(nullable(list(tile))).describe(
      'Tiles to put on it: texts, insights of the project, and new insights. The ids of tiles are ignored.',
    ),
    duplicate_tiles: optional(bool()).describe(
      'With `use_dashboard`: whether insights and texts are copied, too, instead of being on both dashboards. Callers who may not edit that dashboard always get copies.',
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

/** The body of PATCH and PUT. */
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

/** The body of `create_from_template_json`. */
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

const free = z.record(z.string(), z.unknown());

const head = {
  id: z.int().describe('Number of the dashboard, unique on this server.'),
  name: z.string().nullable().describe('Name; null if it was never given one.'),
  description: z.string().describe('What the dashboard is for; may be empty.'),
  pinned: z.boolean().describe('Whether lists show it first.'),
  created_at: timeSchema('When it was made.'),
  created_by: userSchema.nullable().describe('Who made it; null once that user is gone.'),
  is_shared: z.boolean().describe('Whether everybody with its link can see it.'),
  deleted: z.boolean().describe('Whether it is deleted; `PATCH` with `deleted: false` restores it.'),
  creation_mode: z
    .enum(['default', 'template', 'duplicate'])
    .describe('How it came to be: empty, from a template, or as a copy of another dashboard.'),
};
const tags = z.array(z.string()).describe('Tags, in lower case, each once.');

const textSchema = z.object({
  id: z.int().describe('Number of the text.'),
  body: z.string().nullable().describe('The text, in Markdown.'),
  created_by: userSchema.nullable().describe('Who wrote it.'),
  last_modified_by: userSchema.nullable().describe('Who last changed it; null if nobody has.'),
  last_modified_at: timeSchema('When it was last changed.'),
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
    text: textSchema.nullable().describe('The text that it shows; null for insights.'),
    last_refresh: timeSchema('When the insight’s result was computed; null while there is none.').nullable(),
    is_cached: z.boolean().describe('Whether the result was computed before this request.'),
    error: z
      .object({
        type: z.string().describe('Type of the error, as in error responses.'),
        code: z.string().describe('Code of the error, as in error responses.'),
        message: z.string().describe('The error, for people.'),
      })
      .nullable()
      .describe('The error of the computation; null: there was none.'),
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
    delete_insights: z.boolean().describe('The value of the last request that had one.'),
    filters: free.describe('Overrides the filters of its insights.'),
    variables: free.describe('Values of query variables, keyed by the UUID of the variable.'),
    tags,
    version: z
      .int()
      .describe(
        'Counts the changes of the dashboard and its tiles; as `If-Match: "7"` a PATCH is refused (409) if it is another.',
      ),
    tiles: z.array(tileSchema).describe('What is on it, in reading order.'),
    ...accessFieldsSchema,
  })
  .meta({ id: 'Dashboard', description: 'A page of insights and texts.' });
