import { Readable } from 'node:stream';
import { type ComputedAt, describeInsight, shareColors, type ThemeName } from '@tidemark/charts';
import { toLocal } from '../../../analytics/index.js';
import { UnrecoverableError } from '../../../jobs/index.js';
import type { ExportContext, ExportData, ExportTile } from '../data/export-data.js';
import type { Format } from '../formats.js';
import type { DashboardSnapshot, TileContent, TileSnapshot } from '../render/drawing.js';
import type { Renderer } from '../render/renderer.js';
import { csv } from '../spreadsheet/csv.js';
import { type WallClock, xlsx } from '../spreadsheet/xlsx.js';
import { buildSheets } from './sheets.js';

/** The display options of an export, from its `export_context`. */
export interface DisplayOptions {
  theme: ThemeName;
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
  const { now, project, signal } = context;
  const computed = { now, timezone: project.timezone };
  switch (format) {
    case 'image/png':
      return renderer.png(snapshotOf(data, options.theme, computed), signal);
    case 'application/pdf':
      return renderer.pdf(snapshotOf(data, options.theme, computed), { at: now, timezone: project.timezone }, signal);
    case 'text/csv':
      return Readable.from(csv(await buildSheets(context, data, options)));
    case 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet':
      return Readable.from(xlsx(await buildSheets(context, data, options), wallClock(project.timezone)));
    case 'application/json':
      return Readable.from(json(data));
  }
}

const wallClock = (zone: string): WallClock => ({ zone, toLocal: (instant) => toLocal(instant, zone) });

/** The snapshot that the renderer draws. */
function snapshotOf(data: ExportData, theme: ThemeName, computed: ComputedAt): DashboardSnapshot {
  if (data.kind === 'response') throw new UnrecoverableError('A path cannot be exported as a picture or a document.');
  const { title, note } = data;
  const tiles = data.tiles.map((tile) => tileSnapshot(tile, computed));
  const insights = shareColors(tiles.map(({ content }) => (content.kind === 'insight' ? content.insight : { kind: 'nothing' })));
  const colored = tiles.map((tile, i): TileSnapshot => {
    const insight = insights[i];
    return insight && tile.content.kind === 'insight' ? { ...tile, content: { kind: 'insight', insight } } : tile;
  });
  return { title, note, theme, tiles: colored };
}

const tileSnapshot = ({ title, note, place, content }: ExportTile, computed: ComputedAt): TileSnapshot => ({
  title,
  note,
  place,
  content: drawnContent(content, computed),
});

function drawnContent(content: ExportTile['content'], computed: ComputedAt): TileContent {
  if (content.kind === 'answer') return { kind: 'insight', insight: describeInsight(content.query, content.answer, computed) };
  return content.kind === 'fault' ? { kind: 'fault', message: `This could not be computed: ${content.message}` } : content;
}

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
