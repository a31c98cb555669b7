import { Readable } from 'node:stream';
import type { ThemeName } from '@tidemark/charts';
import { createZone } from '../../../analytics/index.js';
import type { ExportContext, ExportData, ExportTile } from '../data/export-data.js';
import type { Format } from '../formats.js';
import type { DrawnFile, Paper, TileSnapshot } from '../render/drawing.js';
import type { Renderer } from '../render/renderer.js';
import { csv } from '../spreadsheet/csv.js';
import { onePage } from '../spreadsheet/sheet.js';
import { type WallClock, xlsx } from '../spreadsheet/xlsx.js';
import { buildSheets } from './sheets.js';
import { buildSnapshot } from './snapshot.js';

/** The display options of an export, from its `export_context`. */
export interface DisplayOptions {
  theme: ThemeName;
  paper: Paper;
  /** Names of the columns of a table, in their order; null: all. */
  columns: string[] | null;
  /** Rows of each table at most; null: no limit. */
  limit: number | null;
}

/** The bytes of a file. `warning`: what it lacks; null: nothing. */
export interface Content {
  bytes: Uint8Array | Readable;
  warning: string | null;
}

/** Builds the file. @throws UnrecoverableError when the data cannot be shown in this format */
export async function buildContent(
  renderer: Renderer,
  context: ExportContext,
  data: ExportData,
  format: Format,
  options: DisplayOptions,
): Promise<Content> {
  const { signal } = context;
  switch (format) {
    case 'image/png':
      return drawn(await renderer.png(buildSnapshot(context, data, options.theme), signal));
    case 'application/pdf':
      return drawn(await renderer.pdf(buildSnapshot(context, data, options.theme), options.paper, signal));
    case 'text/csv':
      return written(csv(await buildSheets(context, data, options)));
    case 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet':
      return workbook(renderer, context, data, options);
    case 'application/json':
      return written(json(data));
  }
}

/** A workbook with the picture of its insight below the numbers, or of its dashboard on a sheet of its own. */
async function workbook(renderer: Renderer, context: ExportContext, data: ExportData, options: DisplayOptions): Promise<Content> {
  const sheets = await buildSheets(context, data, options);
  const clock = wallClock(context.project.timezone);
  const snapshot = data.kind === 'dashboard' ? buildSnapshot(context, data, options.theme) : null;
  if (!snapshot?.tiles.some(isDrawn)) return written(xlsx(sheets, clock));
  const { bytes: png, missing } = await renderer.png(snapshot, context.signal);
  const title = (snapshot.title ?? snapshot.tiles[0]?.title) || 'Overview';
  const overview = { name: snapshot.title || 'Overview', columns: [], pages: onePage([]) };
  const all = snapshot.title === null ? sheets : [overview, ...sheets];
  return { bytes: Readable.from(xlsx(all, clock, { png, title })), warning: drawn({ bytes: png, missing }).warning };
}

/** Whether a tile is a chart: lists are in the workbook anyway. */
const isDrawn = ({ content }: TileSnapshot): boolean =>
  content.kind === 'insight' && content.insight.kind !== 'rows' && content.insight.kind !== 'nothing';

const written = (chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Content => ({ bytes: Readable.from(chunks), warning: null });

/** Characters that a warning names. */
const MAX_NAMED = 10;

function drawn({ bytes, missing }: DrawnFile): Content {
  if (missing.length === 0) return { bytes, warning: null };
  const rest = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  const named = `${missing.slice(0, MAX_NAMED).join(' ')}${rest}`;
  return { bytes, warning: `No font on the server has these characters, which are shown as dots: ${named}` };
}

const wallClock = (zone: string): WallClock => ({ zone, toLocal: createZone(zone).toLocal });

/** The JSON file, tile by tile, so that the text of a whole dashboard is never in memory at once. */
function* json(data: ExportData): Generator<Buffer> {
  if (data.kind === 'response') return yield Buffer.from(JSON.stringify(data.body));
  const { title, note, tiles } = data;
  const [only] = tiles;
  if (title === null && only) return yield Buffer.from(JSON.stringify(tileJson(only)));
  yield Buffer.from(`${JSON.stringify({ name: title, description: note }).slice(0, -1)},"tiles":[`);
  for (const [index, tile] of tiles.entries()) yield Buffer.from((index > 0 ? ',' : '') + JSON.stringify(tileJson(tile)));
  yield Buffer.from(']}');
}

function tileJson({ title, content }: ExportTile): object {
  if (content.kind === 'text') return { text: content.body };
  if (content.kind === 'fault') return { name: title, error: content.message };
  return { name: title, query: content.query, ...content.answer };
}
