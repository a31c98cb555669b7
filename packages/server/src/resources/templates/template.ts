import { z } from 'zod';
import { list, nullable, object, optional, text } from '../../http/atoms.js';
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

/** The tiles of a template, at least one. */
export const tilesSchema = list(tile).superRefine((tiles, ctx) => {
  const refuse = (message: string) => ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
  if (tiles.length === 0) refuse('A template needs at least one tile.');
  if (tiles.length > MAX_TILES) refuse(`A template may have ${MAX_TILES} tiles.`);
});

export const variablesSchema = list(object());

/** What a dashboard is made from. */
export const templateSchema = z
  .object({
    template_name: text({ max: 400 }).describe('Name of the template, and of a dashboard made without a name.'),
    dashboard_description: orElse(text({ blank: true }), '').describe('Description of the dashboard.'),
    dashboard_filters: orElse(object(), {}).describe('Filters of the dashboard.'),
    tags: orElse(list(text({ max: 255, blank: true })), []).describe('Tags of the dashboard.'),
    tiles: tilesSchema.describe('Insights and texts of the dashboard.'),
    variables: orElse(variablesSchema, []).describe('Events that whoever applies the template chooses first.'),
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
