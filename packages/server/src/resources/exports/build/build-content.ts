import { Readable } from 'node:stream';
import type { ThemeName } from '@tidemark/charts';
import { createZone } from '../../../analytics/index.js';
import type { ExportContext, ExportData, ExportTile } from '../data/export-data.js';
import type { Format } from '../formats.js';
import type { Paper } from '../render/drawing.js';
import type { Renderer } from '../render/renderer.js';
import { csv } from '../spreadsheet/csv.js';
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

/** Builds the bytes of the file. @throws UnrecoverableError when the data cannot be shown in this format */
export async function buildContent(
  renderer: Renderer,
  context: ExportContext,
  data: ExportData,
  format: Format,
  options: DisplayOptions,
): Promise<Uint8Array | Readable> {
  const { project, signal } = context;
  switch (format) {
    case 'image/png':
      return renderer.png(buildSnapshot(context, data, options.theme), signal);
    case 'application/pdf':
      return renderer.pdf(buildSnapshot(context, data, options.theme), options.paper, signal);
    case 'text/csv':
      return Readable.from(csv(await buildSheets(context, data, options)));
    case 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet':
      return Readable.from(xlsx(await buildSheets(context, data, options), wallClock(project.timezone)));
    case 'application/json':
      return Readable.from(json(data));
  }
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
