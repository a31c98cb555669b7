import type { Canvas } from '../canvas.js';
import { type Mark, rule } from '../marks.js';
import type { ShownCell, ShownTable } from '../shown-cells.js';
import { more } from '../text/format-number.js';
import { BOLD, fit } from '../text/measure.js';
import { readableOn, type Theme } from '../theme/theme.js';
import type { Change } from './number-parts.js';

const ROW = 28;
const SIZE = 12;
const PAD = 8;
const NARROWEST = 48;
/** Columns up to this width are shown in full or not at all, pixels. */
const READABLE = 140;
/** Widest space that a column gets beside its content. */
const SPARE = 48;

/** How many rows fit into a height, below the head. */
export const rowsWithin = (height: number): number => Math.max(1, Math.floor((height - ROW - 8) / ROW));

/** The rows and columns of a table that fit, with the number of the others. */
export function tableMarks(
  { columns, rows, count, totals, sortedBy }: ShownTable,
  { width, height, theme, measure }: Canvas,
): Mark[] {
  const atMost = Math.max(1, rowsWithin(height) - (totals ? 1 : 0));
  const shown = rows.slice(0, count > atMost ? Math.max(1, atMost - 1) : atMost).map((row) => row.map(withArrow));
  const all = totals ? [...shown, totals] : shown;
  const heads = columns.map((column, i) => ({ ...column, label: i === sortedBy ? `${column.label} ↓` : column.label }));
  const places = columnsOf(heads, all, width - 2 * PAD, measure);
  const cell = (value: string, { x, width: own, isRight }: Place, y: number, fill: string, isBold = false): Mark => ({
    kind: 'text',
    text: fit(value, own - PAD * 1.5, isBold ? SIZE * BOLD : SIZE, measure),
    x: isRight ? PAD + x + own - PAD / 2 : PAD + x,
    y: y + ROW / 2,
    fill,
    isBold,
    anchor: isRight ? 'end' : 'start',
  });
  const hidden = count - shown.length;
  const hiddenColumns = columns.length - places.length;
  const rest = [hidden > 0 ? more(hidden, 'row') : '', hiddenColumns > 0 ? more(hiddenColumns, 'column') : ''];
  const below = fit(rest.filter(Boolean).join(', '), width - 2 * PAD, SIZE, measure);
  const largest = Math.max(0, ...rows.map((row) => row[sortedBy ?? -1]?.value ?? 0));
  return [
    ...places.map((place) => cell(heads[place.index]?.label ?? '', place, 0, theme.muted)),
    rule(PAD, ROW, width - 2 * PAD, theme.border),
    ...all.flatMap((row, i) => {
      const y = (i + 1) * ROW + 1;
      return [
        ...places.flatMap((place): Mark[] => {
          const { text = '', color = null, value = null, verdict = 'none' } = row[place.index] ?? {};
          const box = { x: PAD + place.x, y: y + 3, height: ROW - 6, radius: 4 };
          if (color !== null)
            return [{ kind: 'rect', ...box, width: place.width, fill: color }, cell(text, place, y, readableOn(color))];
          const isBar = place.index === sortedBy && row !== totals && value !== null && largest > 0;
          const bar: Mark[] = isBar
            ? [
                {
                  kind: 'rect',
                  ...box,
                  x: box.x + 4,
                  width: Math.max(1, ((place.width - 4) * value) / largest),
                  fill: theme.palette[0] ?? '',
                  fillOpacity: 0.17,
                },
              ]
            : [];
          return [...bar, cell(text || '–', place, y, text ? inkOf(verdict, theme) : theme.muted, row === totals)];
        }),
        rule(PAD, y + ROW - 1, width - 2 * PAD, theme.grid),
      ];
    }),
    ...(below
      ? [
          {
            kind: 'text' as const,
            text: below,
            x: PAD,
            y: Math.min(height - 6, (all.length + 1) * ROW + ROW / 2 + 2),
            fill: theme.muted,
          },
        ]
      : []),
  ];
}

/** A change with an arrow for its direction: color and sign alone would be easy to miss. */
const withArrow = (cell: ShownCell): ShownCell =>
  (cell.verdict ?? 'none') === 'none' ? cell : { ...cell, text: `${(cell.value ?? 0) > 0 ? '▲' : '▼'} ${cell.text}` };

const inkOf = (verdict: Change['verdict'], theme: Theme): string =>
  verdict === 'good' ? theme.good : verdict === 'bad' ? theme.bad : theme.text;

interface Place {
  index: number;
  x: number;
  width: number;
  isRight: boolean;
}

function columnsOf(columns: ShownTable['columns'], rows: ShownTable['rows'], room: number, measure: Canvas['measure']): Place[] {
  const wanted = columns.map(({ label, isNumber, isTime }, index) => {
    const cells = rows.map((row) => measure((row[index]?.text ?? '').slice(0, 200), SIZE));
    const widest = Math.max(measure(label.slice(0, 200), SIZE), ...cells);
    return { index, width: Math.max(NARROWEST, widest + 2 * PAD + 1), isRight: isNumber || isTime };
  });
  const fitting = wanted.slice(0, Math.max(1, countThatFit(wanted, room)));
  const widths = shared(fitting, room);
  let x = 0;
  return fitting.map((column, i) => {
    const place = { ...column, x, width: widths[i] ?? 0 };
    x += place.width;
    return place;
  });
}

interface Wanted {
  width: number;
  /** It has numbers or times, which are never cut. */
  isRight: boolean;
}

/** How many columns, from the left, fit legibly. */
function countThatFit(wanted: readonly Wanted[], room: number): number {
  let left = room;
  const first = wanted.findIndex(({ width, isRight }) => {
    left -= isRight ? width : Math.min(width, READABLE);
    return left < 0;
  });
  return first < 0 ? wanted.length : first;
}

/**
 * Column widths. Numbers and narrow columns get what they need, wide ones share the rest equally; the first column gets most of the spare
 * width.
 */
function shared(columns: readonly Wanted[], room: number): number[] {
  const wanted = columns.map(({ width }) => width);
  const total = wanted.reduce((sum, width) => sum + width, 0);
  if (total <= room) {
    const spare = Math.min(SPARE, (room - total) / wanted.length);
    return wanted.map((width, i) => (i === 0 ? width + room - total - spare * (wanted.length - 1) : width + spare));
  }
  const widths = [...wanted];
  const words = columns.flatMap(({ width, isRight }, index) => (isRight && columns.length > 1 ? [] : [{ width, index }]));
  let left = room - columns.reduce((sum, { width, isRight }) => sum + (isRight && columns.length > 1 ? width : 0), 0);
  const byWidth = words.sort((one, other) => one.width - other.width);
  for (const [i, { width, index }] of byWidth.entries()) {
    widths[index] = Math.min(width, left / (byWidth.length - i));
    left -= widths[index] ?? 0;
  }
  return widths;
}
