import { z } from 'zod';
import { choice, dateTime, nullable, object, optional, primaryKey, text } from '../../http/fields.js';
import { pageParameters } from '../../http/pagination.js';
import { FORMATS, type Format, VIDEO_FORMATS } from './formats.js';

const formats = Object.keys(FORMATS).filter((name): name is Format => Object.hasOwn(FORMATS, name));

// a form cannot hold an object: there it is JSON in a text field
const context = z
  .preprocess((value) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }, object())
  .meta({ type: 'object', additionalProperties: true });

const maybe = <T extends z.ZodType>(schema: T) => optional(nullable(schema));

// a form cannot hold null: a select without a choice sends an empty text
const subject = () => z.preprocess((value) => (value === '' ? null : value), maybe(primaryKey()));

export const bodySchema = z
  .object({
    dashboard: subject().describe('The dashboard to export.'),
    insight: subject().describe('The insight to export; with a dashboard, as its filters show it.'),
    export_format: choice([...formats, ...VIDEO_FORMATS]).describe('What to make of it. Video and GIF are refused.'),
    export_context: maybe(context).describe(
      'What to export instead, and how: `source` (a query), `path` (an address of this API, with `method` and `body`), `columns` (which, in which order), `limit` (rows of a table), `filename`, `theme` (light or dark), `paper` (A4 or Letter) and `orientation` (portrait or landscape) of a document.',
    ),
    expires_after: maybe(dateTime()).describe('When to delete it; if left out after 7 days for tables, else after 180.'),
  })
  .meta({ example: { insight: 1, export_format: 'image/png' } });
export type ExportFields = z.output<typeof bodySchema>;

const word = optional(text({ max: 1000, blank: true }));

export const listQuery = z.object({
  ...pageParameters,
  export_format: word.describe('Only of this media type. Empty: all.'),
  context_path: word.describe('Only those whose `export_context.path` contains this. Empty: all.'),
});

export const contentQuery = z.object({
  download: word.describe('`true`: browsers save it instead of showing it.'),
});

export const exportParams = { id: z.string().describe('Number of the export.') };

export const exportSchema = z
  .object({
    id: z.int().describe('Number of the export.'),
    dashboard: z.int().nullable().describe('The dashboard that it is of.'),
    insight: z.int().nullable().describe('The insight that it is of.'),
    export_format: z.string().describe('Its media type.'),
    created_at: z.iso.datetime().describe('When it was asked for.'),
    has_content: z.enum(['', 'true']).describe('`true` once there is something to download, else empty.'),
    export_context: z.record(z.string(), z.unknown()).nullable().describe('As it was sent.'),
    filename: z.string().describe('The name of the file.'),
    expires_after: z.iso.datetime().describe('When it is deleted.'),
    exception: z.string().nullable().describe('Why it could not be made; null: it could, or is being made.'),
    warning: z
      .string()
      .nullable()
      .describe('What the file lacks, such as characters that no font on the server has; null: nothing.'),
  })
  .meta({ id: 'Export' });
