import { z } from 'zod';
import { list, nullable, object, optional, text } from '../../http/fields.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';

/** More tiles than a dashboard can sensibly show; each becomes two rows. */
const MAX_TILES = 300;

const orElse = <S extends z.ZodType, T>(schema: S, fallback: T) =>
  optional(nullable(schema)).transform((value): NonNullable<z.output<S>> | T => value ?? fallback);

const look = {
  layouts: orElse(object(), {}).describe(
    'Place and size per screen: `sm` (12 columns) and `xs` (1 column), each `{x, y, w, h, minW, minH}`.',
  ),
  color: orElse(text({ max: 400 }), null).describe('Color of the tile.'),
};

// what else a tile holds is kept: other products write more into templates than they read
const insightTile = z.looseObject({
  type: z.literal('INSIGHT').describe('`INSIGHT`.'),
  name: orElse(text({ max: 400, blank: true }), null).describe('Name of the insight.'),
  description: orElse(text({ blank: true }), '').describe('Description of the insight.'),
  query: orElse(object(), null).describe('What the insight shows, as the query endpoint takes it.'),
  filters: orElse(object(), {}).describe('The query of products from before queries were data; kept as sent.'),
  ...look,
});

const textTile = z.looseObject({
  type: z.literal('TEXT').describe('`TEXT`.'),
  body: text({ max: 4000, blank: true }).describe('The text, in Markdown.'),
  ...look,
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

/** What a template consists of, each field as it is when it is there. */
export const templateFields = {
  template_name: text({ max: 400 }),
  dashboard_description: text({ blank: true }),
  dashboard_filters: object(),
  tags,
  tiles,
  variables: list(object()),
};

/** What the fields of a template are, for the API's description. */
export const TEMPLATE_TEXTS = {
  template_name: 'Name of the template, and of a dashboard made without a name.',
  dashboard_description: 'Description of the dashboard.',
  dashboard_filters: 'Filters of the dashboard.',
  tags: 'Tags, in lower case.',
  tiles: 'Insights and texts of the dashboard, at least one.',
  variables: 'Events that whoever applies the template chooses first.',
} as const satisfies Record<keyof typeof templateFields, string>;

/** What a dashboard is made from. */
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

/** A place on a dashboard: an insight or a text to make. */
export type TemplateTile = z.output<typeof tile>;

/** A dashboard as data, complete and checked. */
export interface Template {
  template_name: string;
  dashboard_description: string;
  dashboard_filters: JsonObject;
  tags: string[];
  tiles: TemplateTile[];
  variables: JsonObject[];
}

/**
 * A template as somebody sent it.
 * @throws ApiError invalid_input about the whole body, naming the field in the text
 */
export function readTemplate(value: unknown): Template {
  try {
    return validate(templateSchema, value);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { attr, detail } = error.body;
    throw new ApiError('invalid_input', attr ? `${attr.replaceAll('__', '.')}: ${detail}` : detail);
  }
}
