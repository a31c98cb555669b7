import { BOLD, type Measure, renderSvg, THEMES, type Theme, wrap } from '@tidemark/charts';
import type { DashboardSnapshot, Part, TileContent, TileSnapshot } from './drawing.js';
import { markdownSvg, textSvg } from './markdown-svg.js';
import type { Box } from './place-tiles.js';

const PAD = 14;
const TITLE = 14;
/** Font size of the title of a tile that is narrower than {@link NARROW}. */
const SMALL_TITLE = 13;
const NARROW = 240;
const NOTE = 12;
const RADIUS = 8;
/** The empty border within a chart. */
const CHART_PAD = 8;
/** Font size of the error message shown instead of a chart. */
const FAULT = 14;
const LINE = 1.5;

export type ThemeOptions = Pick<DashboardSnapshot, 'theme' | 'hasLegend'>;

/** A card: title with its note, description, content. */
export function tileParts(tile: TileSnapshot, box: Box, options: ThemeOptions, measure: Measure): Part[] {
  const theme = THEMES[options.theme];
  const { x, y, width, height } = box;
  const inner = width - 2 * PAD;
  const size = width < NARROW ? SMALL_TITLE : TITLE;
  const titles = tile.title ? wrap(tile.title, inner, size * BOLD, 2, measure) : [];
  const [title = ''] = titles;
  const beside = measure(title, size * BOLD) + 8;
  const isBeside = titles.length === 1 && tile.note !== '' && beside + measure(tile.note, NOTE) <= inner;
  const notes = [
    ...(isBeside || !tile.note ? [] : wrap(tile.note, inner, NOTE, 1, measure)),
    ...(tile.description ? wrap(tile.description, inner, NOTE, 2, measure) : []),
  ];
  const top = y + PAD;
  const headHeight = titles.length * 20 + notes.length * 17 + (titles.length + notes.length > 0 ? 6 : 0);
  const noted = { size: NOTE, fill: theme.muted };
  const noteSvg = [
    isBeside ? textSvg(tile.note, x + PAD + beside, top + 14, noted) : '',
    ...notes.map((line, i) => textSvg(line, x + PAD, top + 12 + titles.length * 20 + i * 17, noted)),
  ].join('');
  const gap = tile.content.kind === 'insight' ? CHART_PAD : 0;
  const body = { x: x + PAD - gap, y: top + headHeight, width: inner + 2 * gap, height: height - PAD - headHeight - 10 };
  const content = body.height > 20 ? contentSvg(tile.content, body, options, measure) : '';
  return [
    { tag: null, svg: cardSvg(box, accentOf(tile.color, theme), theme) },
    {
      tag: 'H2',
      svg: titles.map((line, i) => textSvg(line, x + PAD, top + 14 + i * 20, { size, fill: theme.text, isBold: true })).join(''),
    },
    { tag: 'P', svg: noteSvg },
    tile.content.kind === 'insight'
      ? { tag: 'Figure', alt: [tile.title, tile.note, tile.description].filter(Boolean).join(', '), svg: content }
      : { tag: 'P', svg: content },
  ];
}

function cardSvg({ x, y, width, height }: Box, accent: string | null, theme: Theme): string {
  const card = `<rect x="${x + 0.5}" y="${y + 0.5}" width="${width - 1}" height="${height - 1}" rx="${RADIUS}" fill="${theme.card}" stroke="${theme.border}"/>`;
  if (accent === null) return card;
  const [right, inner] = [x + width, RADIUS - 3];
  const strip = `M${x} ${y + RADIUS}A${RADIUS} ${RADIUS} 0 0 1 ${x + RADIUS} ${y}H${right - RADIUS}A${RADIUS} ${RADIUS} 0 0 1 ${right} ${y + RADIUS}A${RADIUS} ${inner} 0 0 0 ${right - RADIUS} ${y + 3}H${x + RADIUS}A${RADIUS} ${inner} 0 0 0 ${x} ${y + RADIUS}Z`;
  return `${card}<path d="${strip}" fill="${accent}"/>`;
}

/** Places of accents in the palette, by their names; as on public pages. */
const ACCENTS: Readonly<Record<string, number>> = {
  blue: 0,
  orange: 1,
  green: 2,
  purple: 3,
  red: 4,
  pink: 4,
  yellow: 5,
  cyan: 6,
  lime: 7,
};

function accentOf(name: string | null | undefined, theme: Theme): string | null {
  const lower = name?.toLowerCase() ?? '';
  if (lower === 'gray') return theme.other;
  return Object.hasOwn(ACCENTS, lower) ? (theme.palette[ACCENTS[lower] ?? 0] ?? null) : null;
}

/** A chart, a text, or a message in its place. */
export function contentSvg(
  content: TileContent,
  box: Box,
  { theme: name, hasLegend = true }: ThemeOptions,
  measure: Measure,
): string {
  const theme = THEMES[name];
  const { x, y, width, height } = box;
  if (content.kind === 'insight') {
    const size = { width, height, theme: name, measure, hasLegend };
    return renderSvg(content.insight, size).replace('<svg ', `<svg x="${x}" y="${y}" `);
  }
  if (content.kind === 'text') return markdownSvg(content.body, box, theme, measure);
  const lines = wrap(content.message, width - 16, FAULT, Math.max(1, Math.floor(height / (FAULT * LINE))), measure);
  const top = y + (height - lines.length * FAULT * LINE) / 2;
  return lines
    .map((one, i) =>
      textSvg(one, x + (width - measure(one, FAULT)) / 2, top + FAULT + i * FAULT * LINE, { size: FAULT, fill: theme.muted }),
    )
    .join('');
}
