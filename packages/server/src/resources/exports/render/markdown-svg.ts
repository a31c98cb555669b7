import { BOLD, fit, type Measure, type Theme } from '@tidemark/charts';
import type { Box } from './place-tiles.js';
import { type Block, readMarkdown, type Span } from './read-markdown.js';
import { type Piece, piecesSvg, type TextStyle } from './svg-text.js';

const SIZE = 14;
const CODE_SIZE = 13;
const HEADINGS = [20, 17, 15] as const;
const LINE = 1.45;
const GAP = 8;
const INDENT = 20;
/** Width of a letter of the monospaced font, relative to its size. */
const CODE_WIDTH = 0.603;

/** A line as wide as its box at most. */
interface Line {
  pieces: Piece[];
  left: number;
  height: number;
  /** Space below the line. */
  gap: number;
  decoration?: 'quote' | 'rule';
}

/** Draws Markdown into a box. Text that does not fit is left out, and the last line ends in an ellipsis. */
export function markdownSvg(source: string, { x, y, width, height }: Box, theme: Theme, measure: Measure): string {
  const widthOf = ({ text, style }: Piece) =>
    style.isCode ? [...text].length * CODE_WIDTH * style.size : measure(text, style.size) * (style.isBold ? BOLD : 1);
  const all = readMarkdown(source).flatMap((block) => linesOf(block, width, theme, widthOf));
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

function linesOf(block: Block, width: number, theme: Theme, widthOf: WidthOf): Line[] {
  const plain: TextStyle = { size: SIZE, fill: theme.text };
  const lines = (spans: readonly Span[], style: TextStyle, left = 0): Line[] =>
    wrapped(piecesOf(spans, style, theme), width - left, widthOf).map((pieces) => ({
      pieces,
      left,
      height: style.size * LINE,
      gap: 0,
    }));
  switch (block.kind) {
    case 'heading':
      return spaced(lines(block.spans, { ...plain, size: HEADINGS[block.rank] ?? 15, isBold: true }), GAP);
    case 'rule':
      return [{ pieces: [], left: 0, height: GAP, gap: GAP, decoration: 'rule' }];
    case 'code': {
      const style = { size: CODE_SIZE, fill: theme.text, isCode: true };
      const pieces = block.text.split('\n').map((text) => ({ text: text || ' ', style }));
      return spaced(
        pieces
          .flatMap((piece) => wrapped([piece], width, widthOf))
          .map((own) => ({ pieces: own, left: 0, height: CODE_SIZE * LINE, gap: 0 })),
        GAP,
      );
    }
    case 'list': {
      const items = block.items.map((item, i) => {
        const [first, ...rest] = lines(item, plain, INDENT);
        const sign = { text: block.isOrdered ? `${i + 1}. ` : '• ', style: plain };
        return first ? [{ ...first, left: INDENT - widthOf(sign), pieces: [sign, ...first.pieces] }, ...rest] : [];
      });
      return spaced(items.flat(), GAP);
    }
    case 'quote': {
      const quoted = block.lines.flatMap((line) => lines(line, { ...plain, fill: theme.muted }, 12));
      return spaced(
        quoted.map((line): Line => ({ ...line, decoration: 'quote' })),
        GAP,
      );
    }
    case 'paragraph':
      return spaced(
        block.lines.flatMap((line) => lines(line, plain)),
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
  if (line.decoration === 'rule')
    svg += `<rect x="${x}" y="${y + line.height / 2}" width="${width}" height="1" fill="${theme.border}"/>`;
  if (line.decoration === 'quote') svg += `<rect x="${x}" y="${y}" width="3" height="${line.height}" fill="${theme.border}"/>`;
  return line.pieces.length > 0 ? svg + piecesSvg(line.pieces, x + line.left, y + size) : svg;
}
