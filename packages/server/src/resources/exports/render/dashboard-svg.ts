import { type Measure, THEMES } from '@tidemark/charts';
import { type DashboardSnapshot, type Part, svgOf, type TileSnapshot } from './drawing.js';
import { FOOT, footSvg, headParts } from './frame-svg.js';
import { textSvg } from './markdown-svg.js';
import { placeTiles } from './place-tiles.js';
import { contentSvg, tileParts } from './tile-svg.js';

/** Width of the image of a dashboard; pixels, as all sizes here. */
const DASHBOARD_WIDTH = 1280;
const MARGIN = 40;
const TITLE = 24;
/** Size of the image of a single insight. */
const INSIGHT = { width: 960, height: 540 };
const INSIGHT_MARGIN = 32;
/** Height of an image at most, so that viewers can open it. Tiles below are replaced by their count. */
const MAX_HEIGHT = 8000;
/** A tile at the bottom that is higher than this may be cut to it. */
const MIN_CUT_HEIGHT = 1000;
const GRID = { row: 60, gap: 12 };

export interface Picture {
  svg: string;
  width: number;
  height: number;
}

/** The image of a dashboard or of a single insight. */
export function dashboardSvg(dashboard: DashboardSnapshot, measure: Measure): Picture {
  const [only] = dashboard.tiles;
  return dashboard.title === null && only ? insightSvg(only, dashboard, measure) : boardSvg(dashboard, measure);
}

function boardSvg(dashboard: DashboardSnapshot, measure: Measure): Picture {
  const theme = THEMES[dashboard.theme];
  const { caption, hasHead = true } = dashboard;
  const width = DASHBOARD_WIDTH - 2 * MARGIN;
  const head = hasHead ? headOf(dashboard, MARGIN, width, measure) : { parts: [], height: 0 };
  const top = MARGIN + head.height;
  let bottom = top;
  const tiles = placeTiles(dashboard.tiles, { width, ...GRID }).map((box, i) => {
    const tile = dashboard.tiles[i];
    const y = box.y + top;
    if (!tile || y + Math.min(box.height, MIN_CUT_HEIGHT) > MAX_HEIGHT) return null;
    const height = Math.min(box.height, MAX_HEIGHT - y);
    bottom = Math.max(bottom, y + height);
    return svgOf(tileParts(tile, { ...box, x: box.x + MARGIN, y, height }, dashboard, measure));
  });
  const shown = tiles.filter((tile) => tile !== null);
  const rest = tiles.length - shown.length;
  const message =
    tiles.length === 0 ? 'This dashboard has no tiles.' : rest > 0 ? `+ ${rest} more tile${rest === 1 ? '' : 's'}` : null;
  const line = message === null ? '' : textSvg(message, MARGIN, bottom + 30, { size: 14, fill: theme.muted });
  const end = Math.ceil(bottom + (line ? 36 : 0) + 20);
  const foot = caption ? footSvg(caption, '', { x: MARGIN, y: end, width }, theme, measure) : '';
  const height = end + (foot ? FOOT : MARGIN - 20);
  return pictureOf(svgOf(head.parts) + shown.join('') + line + foot, DASHBOARD_WIDTH, height, pageColor(dashboard));
}

/** A chart without a card: its title is the title of the image. */
function insightSvg(tile: TileSnapshot, dashboard: DashboardSnapshot, measure: Measure): Picture {
  const { caption, hasHead = true } = dashboard;
  const { width, height } = INSIGHT;
  const inner = width - 2 * INSIGHT_MARGIN;
  const head = hasHead ? headOf(dashboard, INSIGHT_MARGIN, inner, measure) : { parts: [], height: 0 };
  const top = INSIGHT_MARGIN + head.height;
  const end = caption ? height - FOOT - 8 : height - INSIGHT_MARGIN;
  const box = { x: INSIGHT_MARGIN, y: top, width: inner, height: end - top - (caption ? 12 : 0) };
  const foot = caption ? footSvg(caption, '', { x: INSIGHT_MARGIN, y: end, width: inner }, THEMES[dashboard.theme], measure) : '';
  const svg = svgOf(head.parts) + contentSvg(tile.content, box, dashboard, measure) + foot;
  return pictureOf(svg, width, height, pageColor(dashboard));
}

/** Title, description, dates and filters of a dashboard, or of the only tile. */
export function headOf(
  { title, note, theme, caption, tiles: [only] }: DashboardSnapshot,
  margin: number,
  width: number,
  measure: Measure,
): { parts: Part[]; height: number } {
  const isInsight = title === null;
  const texts = {
    title: (isInsight ? only?.title : title) || (isInsight ? 'Insight' : 'Dashboard'),
    note: isInsight ? [only?.note, note].filter(Boolean).join('. ') : note,
    range: caption?.range ?? '',
    filters: caption?.filters ?? '',
    size: isInsight ? 20 : TITLE,
    hasRule: !isInsight && caption !== undefined,
  };
  return headParts(texts, { x: margin, y: margin, width }, THEMES[theme], measure);
}

/** The background of an image. A light one is white, as it stands in documents and mails. */
export const pageColor = ({ theme }: Pick<DashboardSnapshot, 'theme'>): string =>
  theme === 'light' ? THEMES.light.card : THEMES[theme].background;

/** A picture with this content on a background. */
export const pictureOf = (content: string, width: number, height: number, fill: string): Picture => ({
  svg: `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="${fill}"/>${content}</svg>`,
  width,
  height,
});
