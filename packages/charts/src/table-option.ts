import type { Canvas, ChartOption } from './chart-option.js';
import { more } from './format-number.js';
import { BOLD, fit } from './measure.js';
import type { ShownTable } from './shown-table.js';
import { note, readableOn } from './theme.js';

const ROW = 28;
const SIZE = 12;
const PAD = 10;
const NARROWEST = 60;
/** Columns up to this width are shown in full or not at all, pixels. */
const READABLE = 140;

/** How many rows fit into a height, below the head. */
export const rowsWithin = (height: number): number => Math.max(1, Math.floor((height - ROW - 8) / ROW));

/** ECharts options of a table: the rows and columns that fit, with the number of the others. */
export function tableOption(
  { columns, rows, count, totals }: ShownTable,
  { width, height, theme, measure }: Canvas,
): ChartOption {
  const atMost = Math.max(1, rowsWithin(height) - (totals ? 1 : 0));
  const shown = rows.slice(0, count > atMost ? Math.max(1, atMost - 1) : atMost);
  const all = totals ? [...shown, totals] : shown;
  const places = columnsOf(columns, all, width - 16, measure);
  const line = (y: number) => ({ type: 'rect', shape: { x: 8, y, width: width - 16, height: 1 }, style: { fill: theme.grid } });
  const cell = (value: string, column: Place, y: number, fill: string, isBold: boolean) => ({
    type: 'text',
    x: column.isNumber ? 8 + column.x + column.width - PAD : 8 + column.x + PAD,
    y: y + ROW / 2,
    style: {
      text: fit(value, column.width - 2 * PAD, isBold ? SIZE * BOLD : SIZE, measure),
      fill,
      fontSize: SIZE,
      fontWeight: isBold ? 'bold' : 'normal',
      align: column.isNumber ? 'right' : 'left',
      verticalAlign: 'middle',
    },
  });
  const hidden = count - shown.length;
  const hiddenColumns = columns.length - places.length;
  const rest = [hidden > 0 ? more(hidden, 'row') : '', hiddenColumns > 0 ? more(hiddenColumns, 'column') : ''];
  const below = fit(rest.filter(Boolean).join(', '), width - 26, SIZE, measure);
  return {
    graphic: [
      ...places.map((place) => cell(columns[place.index]?.label ?? '', place, 0, theme.muted, true)),
      line(ROW),
      ...all.flatMap((row, i) => {
        const y = (i + 1) * ROW + 2;
        return [
          ...places.flatMap((place) => {
            const { text = '', color = null } = row[place.index] ?? {};
            if (color === null) return [cell(text, place, y, theme.text, row === totals)];
            const shape = { x: 8 + place.x, y, width: place.width, height: ROW };
            return [{ type: 'rect', shape, style: { fill: color } }, cell(text, place, y, readableOn(color), false)];
          }),
          line(y + ROW),
        ];
      }),
      ...(below ? [note(below, 18, (all.length + 1) * ROW + ROW / 2 + 2, theme.muted)] : []),
    ],
  };
}

interface Place {
  index: number;
  x: number;
  width: number;
  isNumber: boolean;
}

function columnsOf(columns: ShownTable['columns'], rows: ShownTable['rows'], room: number, measure: Canvas['measure']): Place[] {
  const wanted = columns.map(({ label, isNumber }, index) => {
    const cells = rows.map((row) => measure((row[index]?.text ?? '').slice(0, 200), SIZE));
    const widest = Math.max(measure(label.slice(0, 200), SIZE * BOLD), ...cells);
    return { index, width: Math.max(NARROWEST, widest + 2 * PAD + 1), isNumber };
  });
  const kept = wanted.slice(0, Math.max(1, countThatFit(wanted, room)));
  const widths = shared(
    kept.map(({ width }) => width),
    room,
  );
  let x = 0;
  return kept.map((column, i) => {
    const place = { ...column, x, width: widths[i] ?? 0 };
    x += place.width;
    return place;
  });
}

/** How many columns, from the left, fit legibly. */
function countThatFit(wanted: readonly { width: number }[], room: number): number {
  let left = room;
  const first = wanted.findIndex(({ width }) => {
    left -= Math.min(width, READABLE);
    return left < 0;
  });
  return first < 0 ? wanted.length : first;
}

/** Column widths. Narrow columns get what they need, wide ones share the rest equally, and spare width is spread over all. */
function shared(wanted: readonly number[], room: number): number[] {
  const total = wanted.reduce((sum, width) => sum + width, 0);
  if (total <= room) return wanted.map((width) => (width * room) / Math.max(total, 1));
  const widths = [...wanted];
  let left = room;
  const byWidth = wanted.map((width, index) => ({ width, index })).sort((a, b) => a.width - b.width);
  for (const [i, { width, index }] of byWidth.entries()) {
    widths[index] = Math.min(width, left / (byWidth.length - i));
    left -= widths[index] ?? 0;
  }
  return widths;
}
