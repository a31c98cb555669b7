import type { Canvas } from '../canvas.js';
import type { Insight } from '../insight.js';
import { type Mark, round, widthOf } from '../marks.js';
import type { Theme } from '../theme/theme.js';
import { type Change, numberParts } from './number-parts.js';
import { sparkMarks } from './sparkline.js';

const PAD = 8;
/** Height of the area behind a change. */
const PILL = 20;
/** Font size of the change and of the number before. */
const SMALL = 12;
/** Pixels between the number and its change; where the picture is low, fewer. */
const LOOSE = 8;
const TIGHT = 4;
/** What the number before takes on a line of its own. */
const OWN_LINE = 16;
const LEAST_SIZE = 14;
/** Lowest and highest sparkline below the number. */
const SPARK = 40;
const MOST_SPARK = 110;
/** From this height on the sparkline stands below the number, else beside it. */
const TALL = 150;

/** A number on the left, its change below, and a sparkline. */
export function numberMarks(insight: Extract<Insight, { kind: 'series' }>, { width, height, theme, measure }: Canvas): Mark[] {
  const { value, change, before, points, unfinished, about } = numberParts(insight);
  const room = width - 2 * PAD;
  const hasSpark = points.length > 1;
  const isBeside = height < TALL;
  const preferred = width < 220 ? 24 : width < 480 ? 32 : 40;
  const unit = Math.max(widthOf(value, { size: 100, isBold: true }, measure), 1) / 100;
  const changeWidth = change ? pillWidth(change, measure) + 8 : 0;
  const beforeWidth = measure(before ?? '', SMALL);
  // a picture without space for a third line, or for the width of it, does without the number before
  const isThird = change !== null && changeWidth + beforeWidth > room;
  const hasBefore = before !== null && beforeWidth <= room && (!isThird || LEAST_SIZE + TIGHT + PILL + OWN_LINE <= height);
  const under = (change || hasBefore ? PILL : 0) + (hasBefore && isThird ? OWN_LINE : 0);
  const wanted = Math.min(preferred, room / unit);
  const gap = wanted + LOOSE + under > height ? TIGHT : LOOSE;
  const size = Math.max(LEAST_SIZE, Math.min(wanted, height - gap - under));
  const textWidth = Math.max(size * unit, changeWidth, hasBefore ? (isThird ? 0 : changeWidth) + beforeWidth : 0);
  // beside the number the sparkline takes what the numbers leave, which are never cut for it
  const sparkWidth = Math.min(room - textWidth - 20, room * 0.5);
  const top = Math.max(0, isBeside ? (height - size - gap - Math.max(PILL, under)) / 2 : 4);
  const below = top + size + gap;
  const marks: Mark[] = [
    { kind: 'text', text: value, x: PAD, y: top + size / 2, size, isBold: true, fill: theme.text },
    ...changeMarks(change, { x: PAD, y: below, theme, measure }),
  ];
  if (hasBefore) {
    const place = isThird ? { x: PAD, y: below + PILL + 10 } : { x: PAD + changeWidth, y: below + PILL / 2 };
    marks.push({ kind: 'text', text: before, ...place, fill: theme.text2 });
  }
  if (!hasSpark || (isBeside && sparkWidth < 48)) return marks;
  const spark = below + (under > 0 ? Math.max(PILL + 16, under + 8) : 4);
  const box = isBeside
    ? { x: width - PAD - sparkWidth, width: sparkWidth, y: top + 4, height: Math.max(12, size + PILL) }
    : {
        x: PAD,
        width: room,
        y: spark,
        height: Math.min(height - spark - 8, Math.max(SPARK, Math.min(MOST_SPARK, (height - spark) / 2))),
      };
  return [...marks, ...sparkMarks({ points, unfinished, about }, box, theme)];
}

const pillWidth = ({ text, direction }: Change, measure: Canvas['measure']): number =>
  widthOf(text, { size: SMALL, isBold: true }, measure) + 14 + (direction === 'none' ? 0 : 12);

interface PillPlace {
  x: number;
  y: number;
  theme: Theme;
  measure: Canvas['measure'];
}

/** An arrow for the direction and a sign, beside the color for good or bad: color alone would not do. */
function changeMarks(change: Change | null, { x, y, theme, measure }: PillPlace): Mark[] {
  if (!change) return [];
  const [ink, area] =
    change.verdict === 'none'
      ? [theme.text2, theme.grid]
      : change.verdict === 'good'
        ? [theme.good, theme.goodSoft]
        : [theme.bad, theme.badSoft];
  const hasArrow = change.direction !== 'none';
  const middle = y + PILL / 2;
  return [
    { kind: 'rect', x, y, width: pillWidth(change, measure), height: PILL, radius: 4, fill: area },
    ...(hasArrow ? [{ kind: 'path' as const, d: arrow(x + 7, middle, change.direction), stroke: ink, strokeWidth: 1.5 }] : []),
    { kind: 'text', text: change.text, x: x + 7 + (hasArrow ? 12 : 0), y: middle, size: SMALL, isBold: true, fill: ink },
  ];
}

/** An arrow of 8 by 8 pixels up or down to the right. */
const arrow = (x: number, middle: number, direction: Change['direction']): string =>
  direction === 'up'
    ? `M${round(x)} ${round(middle + 3.5)}l7 -7m-5.5 0h5.5v5.5`
    : `M${round(x)} ${round(middle - 3.5)}l7 7m-5.5 0h5.5v-5.5`;
