import { BOLD, FONT, fit, type Measure, type Theme } from '@tidemark/charts';
import { escapeXmlText } from '../../../kernel/display-text.js';
import type { Box } from './place-tiles.js';
import { type Block, readMarkdown, type Span } from './read-markdown.js';

const SIZE = 14;
const CODE_SIZE = 13;
const HEADINGS = [20, 17, 15] as const;
const LINE = 1.45;
const GAP = 8;
const INDENT = 20;
const QUOTE_INDENT = 12;
/** Width of a letter of the monospaced font, relative to its size. */
const CODE_WIDTH = 0.603;

/** A line as wide as its box at most. */
interface Line {
  pieces: Piece[];
  left: number;
  height: number;
  /** Space below the line. */
  gap: number;
  /** The vertical bars of its quotes; the bar of all lines but the last covers the gap as well. */
  bars?: { left: number; height: number }[];
  isRule?: boolean;
}

/** Where blocks are drawn within the box: from `left` to `right`. */
interface Column {
  left: number;
  right: number;
  fill: string;
}

/** Draws Markdown into a box. Text that does not fit is left out, and the last line ends in an ellipsis. */
export function markdownSvg(source: string, { x, y, width, height }: Box, theme: Theme, measure: Measure): string {
  const widthOf = ({ text, style }: Piece) =>
    style.isCode ? [...text].length * CODE_WIDTH * style.size : measure(text, style.size) * (style.isBold ? BOLD : 1);
  const all = readMarkdown(source).flatMap((block) =>
    linesOf(block, { left: 0, right: width, fill: theme.text }, theme, widthOf),
  );
  let [at, svg] = [y, ''];
  for (const [i, line] of all.entries()) {
    const next = all[i + 1];
    const isLast = next !== undefined && at + line.height + line.gap + next.height > y + height;
    svg += lineSvg(isLast ? withEllipsis(line, width, widthOf) : line, { x, y: at, width }, theme);
    if (isLast) break;
    at += line.height + line.gap;
  }
  return svg;
}

type WidthOf = (piece: Piece) => number;

function linesOf(block: Block, column: Column, theme: Theme, widthOf: WidthOf): Line[] {
  const { left, right, fill } = column;
  const plain: TextStyle = { size: SIZE, fill };
  const put = (pieces: readonly Piece[], size: number): Line[] =>
    wrapped(pieces, right - left, widthOf).map((own) => ({ pieces: own, left, height: size * LINE, gap: 0 }));
  switch (block.kind) {
    case 'heading': {
      const style = { ...plain, size: HEADINGS[block.rank] ?? 15, isBold: true };
      return spaced(put(piecesOf(block.spans, style, theme), style.size), GAP);
    }
    case 'rule':
      return [{ pieces: [], left, height: GAP, gap: GAP, isRule: true }];
    case 'code': {
      const style = { size: CODE_SIZE, fill, isCode: true };
      const lines = block.text.split('\n').flatMap((text) => put([{ text: text || ' ', style }], CODE_SIZE));
      return spaced(lines, GAP);
    }
    case 'list': {
      const inner = { ...column, left: left + INDENT };
      const items = block.items.map((item, i) => {
        const lines = item.flatMap((child) => linesOf(child, inner, theme, widthOf));
        const [first, ...rest] = lines.length > 0 ? lines : [{ pieces: [], left: inner.left, height: SIZE * LINE, gap: 0 }];
        const sign = { text: block.isOrdered ? `${i + 1}. ` : '• ', style: plain };
        const marked = first && { ...first, left: first.left - widthOf(sign), pieces: [sign, ...first.pieces] };
        return marked ? [marked, ...rest] : [];
      });
      return spaced(
        items.flat().map((line) => ({ ...line, gap: 0 })),
        GAP,
      );
    }
    case 'quote': {
      const inner = { left: left + QUOTE_INDENT, right, fill: theme.muted };
      const lines = block.blocks.flatMap((child) => linesOf(child, inner, theme, widthOf));
      return lines.map((line, i) => {
        const height = i < lines.length - 1 ? line.height + line.gap : line.height;
        return { ...line, bars: [{ left, height }, ...(line.bars ?? [])] };
      });
    }
    case 'paragraph':
      return spaced(
        block.lines.flatMap((line) => put(piecesOf(line, plain, theme), SIZE)),
        GAP,
      );
  }
}

/** The lines with a gap below the last. */
const spaced = (lines: Line[], gap: number): Line[] => lines.map((line, i) => (i === lines.length - 1 ? { ...line, gap } : line));

const piecesOf = (spans: readonly Span[], style: TextStyle, theme: Theme): Piece[] =>
  spans.flatMap((span) =>
    'text' in span
      ? [{ text: span.text, style: styleOf(span, style, theme) }]
      : piecesOf(span.spans, styleOf(span, style, theme), theme),
  );

function styleOf({ kind }: Span, style: TextStyle, theme: Theme): TextStyle {
  switch (kind) {
    case 'text':
      return style;
    case 'code':
      return { ...style, isCode: true };
    case 'strong':
      return { ...style, isBold: true };
    case 'emphasis':
      return { ...style, isSlanted: true };
    case 'struck':
      return { ...style, isStruck: true };
    case 'link':
      return { ...style, fill: theme.palette[0] ?? style.fill };
  }
}

/** Breaks lines between words; a word that is wider than a line is broken within. */
function wrapped(pieces: readonly Piece[], width: number, widthOf: WidthOf): Piece[][] {
  const lines: Piece[][] = [[]];
  let used = 0;
  const begin = () => {
    lines.push([]);
    used = 0;
  };
  const put = (piece: Piece) => {
    const line = lines.at(-1) ?? [];
    const last = line.at(-1);
    if (last && last.style === piece.style) line[line.length - 1] = { ...last, text: last.text + piece.text };
    else line.push(piece);
    used += widthOf(piece);
  };
  for (const { text, style } of pieces) {
    for (const word of text.match(/\s+|\S+/g) ?? []) {
      const isSpace = /^\s/.test(word);
      if (isSpace && used === 0 && !style.isCode) continue;
      const piece = { text: isSpace && !style.isCode ? ' ' : word, style };
      if (used > 0 && used + widthOf(piece) > width) begin();
      if (used === 0 && isSpace && !style.isCode) continue;
      if (widthOf(piece) <= width) put(piece);
      else {
        for (const char of word) {
          if (used > 0 && used + widthOf({ text: char, style }) > width) begin();
          put({ text: char, style });
        }
      }
    }
  }
  return lines;
}

/** The line with an ellipsis at its end. */
function withEllipsis(line: Line, width: number, widthOf: WidthOf): Line {
  const last = line.pieces.at(-1);
  if (!last) return line;
  const rest = line.pieces.slice(0, -1);
  const room = width - line.left - rest.reduce((sum, piece) => sum + widthOf(piece), 0);
  // fit the text together with its ellipsis: the ellipsis alone may not fit
  const text = fit(`${last.text} …`, room, last.style.size, (part, size) =>
    widthOf({ text: part, style: { ...last.style, size } }),
  );
  return { ...line, pieces: [...rest, { ...last, text }] };
}

function lineSvg(line: Line, { x, y, width }: Omit<Box, 'height'>, theme: Theme): string {
  const size = Math.max(0, ...line.pieces.map(({ style }) => style.size));
  let svg = '';
  if (line.isRule) {
    const rule = { x: x + line.left, y: y + line.height / 2, width: width - line.left };
    svg += `<rect x="${rule.x}" y="${rule.y}" width="${rule.width}" height="1" fill="${theme.border}"/>`;
  }
  for (const bar of line.bars ?? [])
    svg += `<rect x="${x + bar.left}" y="${y}" width="3" height="${bar.height}" fill="${theme.border}"/>`;
  return line.pieces.length > 0 ? svg + piecesSvg(line.pieces, x + line.left, y + size) : svg;
}

interface TextStyle {
  size: number;
  fill: string;
  isBold?: boolean;
  isSlanted?: boolean;
  isCode?: boolean;
  isStruck?: boolean;
}

/** A part of a line that has one style. */
interface Piece {
  text: string;
  style: TextStyle;
}

/** A line in one style as SVG; its baseline is at `y`. */
export const textSvg = (text: string, x: number, y: number, style: TextStyle): string => piecesSvg([{ text, style }], x, y);

/** A line of several styles as SVG. */
const piecesSvg = (pieces: readonly Piece[], x: number, y: number): string =>
  `<text x="${x}" y="${y}" xml:space="preserve">${pieces.map(({ text, style }) => `<tspan ${attributesOf(style)}>${escapeXmlText(text)}</tspan>`).join('')}</text>`;

function attributesOf(style: TextStyle): string {
  const attributes = [
    `font-family="${style.isCode ? `'DejaVu Sans Mono', ${FONT}` : FONT}"`,
    `font-size="${style.size}"`,
    style.isBold ? 'font-weight="bold"' : '',
    style.isSlanted ? 'font-style="italic"' : '',
    style.isStruck ? 'text-decoration="line-through"' : '',
    `fill="${style.fill}"`,
  ];
  return attributes.filter(Boolean).join(' ');
}
