import { type Measure, THEMES } from '@tidemark/charts';
import { headOf } from './dashboard-svg.js';
import type { DashboardSnapshot, Paper, Part, TileSnapshot } from './drawing.js';
import { FOOT, footSvg, headParts } from './frame-svg.js';
import { textSvg } from './markdown-svg.js';
import { type Box, placeOnPages } from './place-tiles.js';
import { contentSvg, tileParts } from './tile-svg.js';

/** Points of a pixel: a page has 96 pixels an inch. */
export const POINTS = 0.75;
const MARGIN = 48;
const SIZES = { A4: [794, 1123], Letter: [816, 1056] } as const;
/** Heights of rows from which the first one is taken that needs the fewest pages. Lower than on screens, as tiles are narrower. */
const ROWS = { portrait: [46, 45, 44, 43, 42, 41, 40], landscape: [60, 58, 56, 54, 52, 50] };
const GAP = 10;
/** Height of the only chart of a document, relative to its width; tables have the whole page. */
const RATIO = 0.6;

export interface Page {
  parts: Part[];
  /** Parts that every page repeats. */
  frame: string;
}

export interface Pages {
  /** Pixels. */
  width: number;
  height: number;
  pages: Page[];
}

/** The pages of a document: the dashboard's own grid, as many rows on each as fit whole. */
export function documentPages(dashboard: DashboardSnapshot, paper: Paper, measure: Measure): Pages {
  const theme = THEMES[dashboard.theme];
  const [short, long] = SIZES[paper.format];
  const [width, height] = paper.isLandscape ? [long, short] : [short, long];
  const inner = width - 2 * MARGIN;
  const { caption } = dashboard;
  const head = headOf(dashboard, MARGIN, inner, measure);
  const title = dashboard.title ?? dashboard.tiles[0]?.title ?? '';
  const texts = { title, note: '', range: caption?.range ?? '', filters: '', size: 13, hasRule: false };
  const later = headParts(texts, { x: MARGIN, y: MARGIN - 12, width: inner }, theme, measure);
  const end = height - FOOT - 20;
  const first = { x: MARGIN, y: MARGIN + head.height, width: inner, height: end - 14 - MARGIN - head.height };
  const others = { ...first, y: MARGIN - 12 + later.height, height: end - 14 - MARGIN + 12 - later.height };
  const contents = contentParts(dashboard, first, others, paper, measure);
  const pages = contents.map((parts, i) => {
    const foot = caption
      ? footSvg(caption, `${i + 1} of ${contents.length}`, { x: MARGIN, y: end, width: inner }, theme, measure)
      : '';
    if (i === 0) return { parts: [...head.parts, ...parts], frame: foot };
    return { parts, frame: later.parts.map(({ svg }) => svg).join('') + foot };
  });
  return { width, height, pages };
}

function contentParts(dashboard: DashboardSnapshot, first: Box, others: Box, paper: Paper, measure: Measure): Part[][] {
  const { title, tiles } = dashboard;
  const [only] = tiles;
  if (!only) {
    const style = { size: 14, fill: THEMES[dashboard.theme].muted };
    return [[{ tag: 'P', svg: textSvg('This dashboard has no tiles.', first.x, first.y + 16, style) }]];
  }
  if (title === null) return [[insightPart(only, first, dashboard, measure)]];
  const layouts = ROWS[paper.isLandscape ? 'landscape' : 'portrait'].map((row) =>
    placeOnPages(tiles, { width: first.width, row, gap: GAP }, first.height, others.height),
  );
  const fewest = Math.min(...layouts.map((pages) => pages.length));
  const pages = layouts.find(({ length }) => length === fewest) ?? [];
  return pages.map((placed, page) => {
    const { x, y } = page === 0 ? first : others;
    return placed.flatMap(({ tile, box }) => tileParts(tile, { ...box, x: box.x + x, y: box.y + y }, dashboard, measure));
  });
}

function insightPart({ title, note, content }: TileSnapshot, box: Box, dashboard: DashboardSnapshot, measure: Measure): Part {
  const isTall = content.kind !== 'insight' || ['rows', 'retention'].includes(content.insight.kind);
  const height = isTall ? box.height : Math.min(box.height, Math.round(box.width * RATIO));
  const svg = contentSvg(content, { ...box, height }, dashboard, measure);
  if (content.kind !== 'insight') return { tag: 'P', svg };
  return { tag: 'Figure', alt: [title, note].filter(Boolean).join(', '), svg };
}
