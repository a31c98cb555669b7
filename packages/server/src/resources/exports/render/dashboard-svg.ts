import { BOLD, type Measure, THEMES, type Theme, wrap } from '@tidemark/charts';
import { renderSvg } from '@tidemark/charts/svg';
import type { DashboardSnapshot, TileContent, TileSnapshot } from './drawing.js';
import { markdownSvg, textSvg } from './markdown-svg.js';
import { type Box, placeTiles } from './place-tiles.js';

/** Width of the image of a dashboard; pixels, as all sizes here. */
const DASHBOARD_WIDTH = 1280;
const MARGIN = 24;
/** Size of the image of a single insight. */
const INSIGHT = { width: 800, height: 520 };
/** Height of an image at most, so that viewers can open it. Tiles below are replaced by their count. */
const MAX_HEIGHT = 8000;
/** A tile at the bottom that is higher than this may be cut to it. */
const MIN_CUT_HEIGHT = 1000;
const PAD = 16;
const TITLE = 15;
const NOTE = 12;
/** Font size of the error message shown instead of a chart. */
const FAULT = 14;
const LINE = 1.5;

type ThemeOptions = Pick<DashboardSnapshot, 'theme' | 'hasLegend'>;

export interface Picture {
  svg: string;
  width: number;
  height: number;
}

/** The image of a dashboard or of a single insight. */
export function dashboardSvg(dashboard: DashboardSnapshot, measure: Measure): Picture {
  const theme = THEMES[dashboard.theme];
  const [only] = dashboard.tiles;
  if (dashboard.title === null && only) {
    const box = { x: 0, y: 0, ...INSIGHT };
    return page(tileSvg(only, box, dashboard, measure), INSIGHT.width, INSIGHT.height, theme.card);
  }
  const width = DASHBOARD_WIDTH - 2 * MARGIN;
  const head = dashboard.hasHead === false ? { svg: '', height: 0 } : headSvg(dashboard, width, theme, measure);
  const top = MARGIN + head.height;
  let bottom = top;
  const tiles = placeTiles(dashboard.tiles, width).map((box, i) => {
    const tile = dashboard.tiles[i];
    const y = box.y + top;
    if (!tile || y + Math.min(box.height, MIN_CUT_HEIGHT) > MAX_HEIGHT) return null;
    const height = Math.min(box.height, MAX_HEIGHT - y);
    bottom = Math.max(bottom, y + height);
    return tileSvg(tile, { ...box, x: box.x + MARGIN, y, height }, dashboard, measure);
  });
  const shown = tiles.filter((tile) => tile !== null);
  const rest = tiles.length - shown.length;
  const message =
    tiles.length === 0 ? 'This dashboard has no tiles.' : rest > 0 ? `+ ${rest} more tile${rest === 1 ? '' : 's'}` : null;
  const line = message === null ? '' : textSvg(message, MARGIN, bottom + 30, { size: 14, fill: theme.muted });
  const height = Math.ceil(bottom + (line ? 36 : 0) + MARGIN);
  return page(head.svg + shown.join('') + line, DASHBOARD_WIDTH, height, theme.background);
}

/** The image of one tile, for a page of a PDF. */
export function tilePicture(
  tile: TileSnapshot,
  { width, height }: { width: number; height: number },
  options: ThemeOptions,
  measure: Measure,
): Picture {
  return page(tileSvg(tile, { x: 0, y: 0, width, height }, options, measure), width, height, THEMES[options.theme].background);
}

const page = (content: string, width: number, height: number, fill: string): Picture => ({
  svg: `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="${fill}"/>${content}</svg>`,
  width,
  height,
});

function headSvg(
  { title, note }: DashboardSnapshot,
  width: number,
  theme: Theme,
  measure: Measure,
): { svg: string; height: number } {
  // bold letters are wider than the regular ones that `measure` knows
  const lines = wrap(title || 'Dashboard', width, 24 * BOLD, 2, measure);
  const notes = note ? wrap(note, width, 13, 2, measure) : [];
  const svg = [
    ...lines.map((line, i) => textSvg(line, MARGIN, MARGIN + 24 + i * 32, { size: 24, fill: theme.text, isBold: true })),
    ...notes.map((line, i) => textSvg(line, MARGIN, MARGIN + 20 + lines.length * 32 + i * 19, { size: 13, fill: theme.muted })),
  ];
  return { svg: svg.join(''), height: lines.length * 32 + notes.length * 19 + 16 };
}

/** A card: title, note, content. */
function tileSvg(tile: TileSnapshot, box: Box, options: ThemeOptions, measure: Measure): string {
  const theme = THEMES[options.theme];
  const { x, y, width, height } = box;
  const inner = width - 2 * PAD;
  const titles = tile.title ? wrap(tile.title, inner, TITLE * BOLD, 2, measure) : [];
  const notes = tile.note ? wrap(tile.note, inner, NOTE, 1, measure) : [];
  const head = titles.length * 21 + notes.length * 18 + (titles.length + notes.length > 0 ? 8 : 0);
  const body = { x: x + 8, y: y + PAD + head, width: width - 16, height: height - PAD - head - 8 };
  return [
    `<rect x="${x + 0.5}" y="${y + 0.5}" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.card}" stroke="${theme.border}"/>`,
    ...titles.map((line, i) => textSvg(line, x + PAD, y + PAD + 15 + i * 21, { size: TITLE, fill: theme.text, isBold: true })),
    ...notes.map((line, i) =>
      textSvg(line, x + PAD, y + PAD + 13 + titles.length * 21 + i * 18, { size: NOTE, fill: theme.muted }),
    ),
    body.height > 20 ? contentSvg(tile.content, body, options, measure) : '',
  ].join('');
}

function contentSvg(content: TileContent, box: Box, { theme: name, hasLegend = true }: ThemeOptions, measure: Measure): string {
  const theme = THEMES[name];
  const { x, y, width, height } = box;
  if (content.kind === 'insight') {
    const size = { width, height, theme: name, measure, hasLegend };
    return renderSvg(content.insight, size).replace('<svg ', `<svg x="${x}" y="${y}" `);
  }
  if (content.kind === 'text') return markdownSvg(content.body, { x: x + 8, y, width: width - 16, height }, theme, measure);
  const lines = wrap(content.message, width - 16, FAULT, Math.max(1, Math.floor(height / (FAULT * LINE))), measure);
  const top = y + (height - lines.length * FAULT * LINE) / 2;
  return lines
    .map((one, i) =>
      textSvg(one, x + (width - measure(one, FAULT)) / 2, top + FAULT + i * FAULT * LINE, { size: FAULT, fill: theme.muted }),
    )
    .join('');
}
