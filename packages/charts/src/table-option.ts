import type { Canvas, ChartOption } from './chart-option.js';
import { formatNumber, more } from './format-number.js';
import { BOLD, fit } from './measure.js';
import { note } from './series-option.js';
import type { Cell, Table } from './table.js';

const ROW = 28;
const SIZE = 12;
const PAD = 10;
const NARROWEST = 60;
/** A column that needs as much or less is shown whole, or not at all. */
const READABLE = 140;

/** As many rows and columns as there is room for; the rest is counted. */
export function tableOption({ columns, rows }: Table, { width, height, theme, measure }: Canvas): ChartOption {
  const atMost = Math.max(1, Math.floor((height - ROW - 8) / ROW));
  const shown = rows.slice(0, rows.length > atMost ? atMost - 1 : atMost);
  const places = columnsOf({ columns, rows: shown }, width - 16, measure);
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
  const hidden = rows.length - shown.length;
  const hiddenColumns = columns.length - places.length;
  const rest = [hidden > 0 ? more(hidden, 'row') : '', hiddenColumns > 0 ? more(hiddenColumns, 'column') : ''];
  const below = fit(rest.filter(Boolean).join(', '), width - 26, SIZE, measure);
  return {
    graphic: [
      ...places.map((place) => cell(columns[place.index] ?? '', place, 0, theme.muted, true)),
      line(ROW),
      ...shown.flatMap((row, i) => {
        const y = (i + 1) * ROW + 2;
        return [...places.map((place) => cell(shownCell(row[place.index] ?? null), place, y, theme.text, false)), line(y + ROW)];
      }),
      ...(below ? [note(below, 18, (shown.length + 1) * ROW + ROW / 2 + 2, theme.muted)] : []),
    ],
  };
}

interface Place {
  index: number;
  x: number;
  width: number;
  isNumber: boolean;
}

function columnsOf({ columns, rows }: Table, room: number, measure: Canvas['measure']): Place[] {
  const wanted = columns.map((name, index) => {
    const cells = rows.map((row) => row[index] ?? null);
    const widest = Math.max(measure(name, SIZE * BOLD), ...cells.map((one) => measure(shownCell(one).slice(0, 200), SIZE)));
    const isNumber = cells.length > 0 && cells.every((one) => one === null || typeof one === 'number');
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

/** How many columns, from the left, have room to be read. */
function countThatFit(wanted: readonly { width: number }[], room: number): number {
  let left = room;
  const first = wanted.findIndex(({ width }) => {
    left -= Math.min(width, READABLE);
    return left < 0;
  });
  return first < 0 ? wanted.length : first;
}

/** The narrow ones get what they need and the wide ones what is left, in equal parts; what nobody needs is spread. */
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

function shownCell(value: Cell): string {
  if (value === null) return '';
  return typeof value === 'number' ? formatNumber(value) : String(value);
}
