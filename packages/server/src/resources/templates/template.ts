import { z } from 'zod';
import { list, nullable, object, optional, text } from '../../http/fields.js';
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
export const templateFields = {
  template_name: text({ max: 400 }),
  dashboard_description: text({ blank: true }),
  dashboard_filters: object(),
  tags,
  tiles,
  variables: list(object()),
};

/** The descriptions of the fields in OpenAPI. */
export const TEMPLATE_TEXTS = {
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
