import type { Canvas } from '../canvas.js';
import type { Mark } from '../marks.js';
import { fitMiddle, fitName } from '../text/measure.js';

const SIZE = 12;
const ROW = 22;
const MARK = 18;
const GAP = 18;
const LONGEST = 260;
/** Share of the height that a legend of few lines may take, whose names are all shown, and that of more. */
const MOST_OF_FEW = 0.45;
const MOST = 0.3;
const FEW = 4;

export interface LegendEntry {
  name: string;
  color: string;
  /** 0 to 1; default 1. */
  opacity?: number;
  /** How many names it stands for; default 1. */
  count?: number;
}

/** A laid-out legend: its height in pixels and its marks. */
export interface Legend {
  height: number;
  marks: Mark[];
}

/**
 * Lays out a legend in rows, from `top` or at the bottom of a picture. Names beyond 30 % of the height, of few 45 %, are counted: `+ 3 more`.
 */
export function legendOf(
  entries: readonly LegendEntry[],
  { width, height, theme, measure, hasLegend }: Canvas,
  from: number | null = null,
): Legend {
  if (entries.length < 2 || !hasLegend) return { height: 0, marks: [] };
  const rowsAtMost = Math.max(1, Math.floor((height * (entries.length <= FEW ? MOST_OF_FEW : MOST)) / ROW));
  const places: Place[] = [];
  const room = width - 16;
  const longest = Math.min(LONGEST, room - MARK);
  let [x, row] = [0, 0];
  for (const [index, entry] of entries.entries()) {
    const rest = `+ ${entries.slice(index).reduce((sum, { count = 1 }) => sum + count, 0)} more`;
    // the last row reserves the width of "+ n more"
    const reservedIn = (one: number) => (one === rowsAtMost - 1 && index < entries.length - 1 ? GAP + measure(rest, SIZE) : 0);
    const textIn = (one: number) =>
      fitName(entry.name || '(no name)', Math.min(longest, room - MARK - reservedIn(one)), SIZE, measure, fitMiddle);
    if (x > 0 && x + MARK + measure(textIn(row), SIZE) + reservedIn(row) > room) {
      if (row === rowsAtMost - 1) {
        places.push({ x, row, text: rest, color: null });
        break;
      }
      row += 1;
      x = 0;
    }
    const text = textIn(row);
    places.push({ x, row, text, color: entry.color, opacity: entry.opacity ?? 1 });
    x += MARK + measure(text, SIZE) + GAP;
  }
  const top = from ?? height - (row + 1) * ROW - 4;
  return {
    height: (row + 1) * ROW + 12,
    marks: places.flatMap((place) => drawn(place, top, theme.text)),
  };
}

interface Place {
  x: number;
  row: number;
  text: string;
  /** Color of the mark; null: a text without a mark. */
  color: string | null;
  opacity?: number;
}

function drawn({ x, row, text, color, opacity = 1 }: Place, top: number, fill: string): Mark[] {
  const y = top + row * ROW + ROW / 2;
  const left = x + 8;
  if (!color) return [{ kind: 'text', text, x: left, y, size: SIZE, fill }];
  return [
    { kind: 'rect', x: left, y: y - 5, width: 10, height: 10, radius: 2, fill: color, ...(opacity < 1 ? { opacity } : {}) },
    { kind: 'text', text, x: left + MARK, y, size: SIZE, fill },
  ];
}
