import { BOLD, fit, type Measure, type Theme, wrap } from '@tidemark/charts';
import { FAVICON } from '../../../http/page/document.js';
import type { Caption, Part } from './drawing.js';
import { textSvg } from './markdown-svg.js';

/** Height of a foot; pixels. */
export const FOOT = 44;
const SMALL = 12;
const MARK = 18;
/** Space between the title and the dates right of it. */
const SPACE = 24;

export interface HeadTexts {
  title: string;
  note: string;
  range: string;
  filters: string;
  /** Font size of the title. */
  size: number;
  /** Whether a line separates the head from what follows. */
  hasRule: boolean;
}

/** Title and description on the left, the dates on the right, the filters below. `height`: with the space below it. */
export function headParts(
  { title, note, range, filters, size, hasRule }: HeadTexts,
  { x, y, width }: { x: number; y: number; width: number },
  theme: Theme,
  measure: Measure,
): { parts: Part[]; height: number } {
  const line = size * 1.3;
  const dates = range ? measure(range, 13) : 0;
  // bold letters are wider than the regular ones that `measure` knows
  const titles = wrap(title, width - (dates > 0 ? dates + SPACE : 0), size * BOLD, 2, measure);
  const notes = note ? wrap(note, width, 13, 2, measure) : [];
  let at = y + titles.length * line;
  const quiet = { size: 13, fill: theme.text2 };
  const noteSvg = notes.map((text, i) => textSvg(text, x, at + 14 + i * 19, quiet)).join('');
  at += notes.length * 19 + 8;
  const rule = hasRule ? `<rect x="${x}" y="${at}" width="${width}" height="2" fill="${theme.text}"/>` : '';
  at += hasRule ? 10 : 2;
  const filterSvg = filters ? textSvg(fit(filters, width, SMALL, measure), x, at + 10, { size: SMALL, fill: theme.muted }) : '';
  at += filters ? 24 : 6;
  return {
    parts: [
      {
        tag: 'H1',
        svg: titles.map((text, i) => textSvg(text, x, y + size + i * line, { size, fill: theme.text, isBold: true })).join(''),
      },
      { tag: 'P', svg: noteSvg },
      { tag: 'P', svg: range ? textSvg(range, x + width - dates, y + size, quiet) : '' },
      { tag: null, svg: rule },
      { tag: 'P', svg: filterSvg },
    ],
    height: at - y,
  };
}

/** A line, below it the mark with the name of the project, and when the picture was made. `page`: such as `1 of 2`; empty: none. */
export function footSvg(
  { project, made }: Caption,
  page: string,
  { x, y, width }: { x: number; y: number; width: number },
  theme: Theme,
  measure: Measure,
): string {
  const style = { size: SMALL, fill: theme.muted };
  const base = y + 29;
  const right = page ? x + width - measure(page, SMALL) : x + width;
  const time = `Made ${made}`;
  const left = right - (page ? 32 : 0) - measure(time, SMALL);
  const name = project === null ? '' : fit(project, left - x - MARK - SPACE, SMALL, measure);
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="1" fill="${theme.border}"/>`,
    project === null ? '' : markSvg(x, y + 16, MARK),
    textSvg(name, x + MARK + 8, base, style),
    textSvg(time, left, base, style),
    page ? textSvg(page, right, base, style) : '',
  ].join('');
}

/** The mark of Tidemark, a square of this size. */
export const markSvg = (x: number, y: number, size: number): string =>
  `<g transform="translate(${x} ${y}) scale(${size / 20})">${FAVICON.replace(/<\/?svg[^>]*>/g, '')}</g>`;
