import { z } from 'zod';
import { bool, choice, list, nullable, object, optional, text } from '../../http/fields.js';
import { pageOf } from '../../http/pagination.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';

/** Maximum of tiles, since each becomes two rows. */
const MAX_TILES = 300;

const orElse = <S extends z.ZodType, T>(schema: S, fallback: T) =>
  optional(nullable(schema)).transform((value): NonNullable<z.output<S>> | T => value ?? fallback);

const placement = {
  layouts: orElse(object(), {}).describe(
    'Place and size per screen: `sm` (12 columns) and `xs` (1 column), each `{x, y, w, h, minW, minH}`.',
  ),
  color: orElse(text({ max: 400 }), null).describe('Color of the tile.'),
};

// loose objects keep unknown fields: other products write more into templates than they read
const insightTile = z.looseObject({
  type: z.literal('INSIGHT').describe('`INSIGHT`.'),
  name: orElse(text({ max: 400, blank: true }), null).describe('Name of the insight.'),
  description: orElse(text({ blank: true }), '').describe('Description of the insight.'),
  query: orElse(object(), null).describe('The query of the insight, as the query endpoint takes it.'),
  filters: orElse(object(), {}).describe('The query in its older form, stored as sent.'),
  ...placement,
});

const textTile = z.looseObject({
  type: z.literal('TEXT').describe('`TEXT`.'),
  body: text({ max: 4000, blank: true }).describe('The text, in Markdown.'),
  ...placement,
});

const tile = z.discriminatedUnion('type', [insightTile, textTile], {
  error: 'Expected a tile: an object whose type is INSIGHT or TEXT.',
});

const tiles = list(tile).superRefine((all, ctx) => {
  const refuse = (message: string) => ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
  if (all.length === 0) refuse('A template needs at least one tile.');
  if (all.length > MAX_TILES) refuse(`A template may have ${MAX_TILES} tiles.`);
});

const tags = list(text({ max: 255, blank: true })).transform((words) => [
  ...new Set(words.map((word) => word.toLowerCase()).filter(Boolean)),
]);

/** The fields of a template, without their defaults. */
const templateFields = {
  template_name: text({ max: 400 }),
  dashboard_description: text({ blank: true }),
  dashboard_filters: object(),
  tags,
  tiles,
  variables: list(object()),
};

/** The descriptions of the fields in OpenAPI. */
const TEMPLATE_TEXTS = {
  template_name: 'Name of the template, and of a dashboard made without a name.',
  dashboard_description: 'Description of the dashboard.',
  dashboard_filters: 'Filters of the dashboard.',
  tags: 'Tags, in lower case.',
  tiles: 'Insights and texts of the dashboard, at least one.',
  variables: 'Events to choose before the template is applied.',
} as const satisfies Record<keyof typeof templateFields, string>;

/** A template as requests send it. */
export const templateSchema = z
  .object({
    template_name: templateFields.template_name.describe(TEMPLATE_TEXTS.template_name),
    dashboard_description: orElse(templateFields.dashboard_description, '').describe(TEMPLATE_TEXTS.dashboard_description),
    dashboard_filters: orElse(templateFields.dashboard_filters, {}).describe(TEMPLATE_TEXTS.dashboard_filters),
    tags: orElse(templateFields.tags, []).describe(TEMPLATE_TEXTS.tags),
    tiles: templateFields.tiles.describe(TEMPLATE_TEXTS.tiles),
    variables: orElse(templateFields.variables, []).describe(TEMPLATE_TEXTS.variables),
  })
  .meta({
    description: 'A dashboard as data.',
    example: { template_name: 'Notes', tiles: [{ type: 'TEXT', body: 'Hello' }] },
  });

/** A tile of a template: an insight or a text to make. */
export type TemplateTile = z.output<typeof tile>;

/** A validated template with all defaults. */
export interface Template {
  template_name: string;
  dashboard_description: string;
  dashboard_filters: JsonObject;
  tags: string[];
  tiles: TemplateTile[];
  variables: JsonObject[];
}

/** Validates a template. @throws ApiError invalid_input, without a field: the text names it */
export function readTemplate(value: unknown): Template {
  try {
    return validate(templateSchema, value);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { attr, detail } = error.body;
    throw new ApiError('invalid_input', attr ? `${attr.replaceAll('__', '.')}: ${detail}` : detail);
  }
}

/** Scopes that a template of a project can have. */
const SCOPES = ['team', 'feature_flag'] as const;

const SCOPE_TEXT =
  '`team`: for dashboards of the project; `feature_flag`: for dashboards about the use of a feature flag; `global`: of the whole instance, read-only.';
const IMAGE_TEXT = 'Address of a picture that shows what the dashboard looks like.';

const imageUrl = text({ max: 8201 }).transform((url, ctx) => {
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  ctx.addIssue({ code: 'custom', message: 'Enter a valid URL.', params: { code: 'invalid_input' }, input: url });
  return z.NEVER;
});

const own = {
  image_url: optional(nullable(imageUrl)).describe(IMAGE_TEXT),
  scope: optional(choice(SCOPES)).describe(SCOPE_TEXT),
};

/** The body of POST. */
export const createSchema = z.object({ ...templateSchema.shape, ...own }).meta({
  example: {
    template_name: 'Weekly numbers',
    tiles: [{ type: 'TEXT', body: 'What we look at on Mondays.', layouts: { sm: { x: 0, y: 0, w: 6, h: 2 } } }],
  },
});
export type TemplateFields = z.output<typeof createSchema>;

/** The body of PATCH. */
export const patchSchema = z
  .object({
    template_name: optional(templateFields.template_name).describe(TEMPLATE_TEXTS.template_name),
    dashboard_description: optional(templateFields.dashboard_description).describe(TEMPLATE_TEXTS.dashboard_description),
    dashboard_filters: optional(templateFields.dashboard_filters).describe(TEMPLATE_TEXTS.dashboard_filters),
    tags: optional(templateFields.tags).describe(TEMPLATE_TEXTS.tags),
    tiles: optional(templateFields.tiles).describe(TEMPLATE_TEXTS.tiles),
    variables: optional(templateFields.variables).describe(TEMPLATE_TEXTS.variables),
    ...own,
    deleted: optional(bool()).describe('True deletes the template softly, false restores it.'),
  })
  .meta({ example: { dashboard_description: 'What we look at on Mondays.' } });
export type TemplateChange = z.output<typeof patchSchema>;

const word = (max: number) => optional(text({ max, blank: true }));

/** Query parameters of the list. */
export const listQuery = z.object({
  scope: word(100).describe(
    'Only these: `team` the project’s own, `global` those of the whole instance, `feature_flag` those for feature flags.',
  ),
  search: word(1000).describe('Part of the name or description, or a whole tag, in any case.'),
});
export type ListQuery = z.output<typeof listQuery>;

const free = z.record(z.string(), z.unknown());

/** A template as responses show it. */
export const responseSchema = z
  .object({
    id: z.uuid().describe('Identifies the template.'),
    template_name: z.string().describe(TEMPLATE_TEXTS.template_name),
    dashboard_description: z.string().describe(TEMPLATE_TEXTS.dashboard_description),
    dashboard_filters: free.describe(TEMPLATE_TEXTS.dashboard_filters),
    tags: z.array(z.string()).describe(TEMPLATE_TEXTS.tags),
    tiles: z.array(free).describe(TEMPLATE_TEXTS.tiles),
    variables: z.array(free).describe(TEMPLATE_TEXTS.variables),
    deleted: z.boolean().describe('Whether it is deleted; deleted ones can be restored.'),
    created_at: z.string().nullable().describe('When it was made; null for built-in ones.').meta({ format: 'date-time' }),
    created_by: z.int().nullable().describe('Number of the user who made it; null for built-in ones and users who are gone.'),
    image_url: z.string().nullable().describe(IMAGE_TEXT),
    team_id: z.int().nullable().describe('The project; null for templates of the whole instance.'),
    scope: z.enum(['team', 'global', 'feature_flag']).describe(SCOPE_TEXT),
  })
  .meta({ id: 'DashboardTemplate', description: 'A dashboard as data, to make dashboards from.' });

export const templatePage = pageOf(responseSchema);
