import type { Display, Insight, Series } from './insight.js';
import { DISPLAYS, type Fields, fields, numberOf, text } from './read-fields.js';

type Rows = Extract<Insight, { kind: 'rows' }>;

/** Lines at most of a column of their names; further ones would only hide each other. */
const MOST_LINES = 50;

/**
 * The rows of a query as the chart that a `DataVisualizationNode` asks for: `display` and `chartSettings` (`xAxis`, `yAxis`,
 * `seriesBreakdownColumn`). Columns that are not named are guessed: numbers are drawn, over the first other column. Null: a table.
 */
export function readVisual(node: Fields, rows: Rows): Insight | null {
  const display = displayOf(node['display']);
  if (display === null || rows.rows.length === 0) return null;
  const axes = axesOf(fields(node['chartSettings']), rows);
  const [first] = axes.y;
  if (!first) return null;
  const labels = axes.x === null ? rows.rows.map((_, i) => String(i + 1)) : labelsOf(rows, axes.x);
  const over = rows.columns[axes.x ?? -1] ?? 'Row';
  const drawn = (labels: string[], series: Series[]): Insight => ({ kind: 'series', display, labels, days: [], over, series });
  if (display === 'number') {
    const data = [numberOf(rows.rows[0]?.[first.index]) ?? 0];
    return drawn([], [line(first.label, data, data[0])]);
  }
  if (display === 'pie' || display === 'total-bar') {
    const series = rows.rows.map((row, i) => line(labels[i] ?? '', [], numberOf(row[first.index]) ?? 0));
    return drawn([], series);
  }
  if (axes.breakdown !== null) {
    const { places, lines } = brokenDown(rows, labels, first.index, axes.breakdown);
    return drawn(places, lines);
  }
  const series = axes.y.map(({ index, label }) =>
    line(
      label,
      rows.rows.map((row) => numberOf(row[index]) ?? 0),
    ),
  );
  return drawn(labels, series);
}

/** Null: rows stay rows. */
function displayOf(name: unknown): Exclude<Display, 'table'> | null {
  // of bars, SQL has those side by side for the plain ones
  if (name === 'ActionsBar') return 'bar';
  const display = typeof name === 'string' ? DISPLAYS[name] : undefined;
  return display === undefined || display === 'table' ? null : display;
}

interface Axes {
  x: number | null;
  y: { index: number; label: string }[];
  breakdown: number | null;
}

function axesOf(settings: Fields, { columns, rows }: Rows): Axes {
  const placeOf = (axis: unknown) => columns.indexOf(text(fields(axis)['column']) ?? '');
  const isNumber = columns.map((_, i) => {
    const there = rows.map((row) => row[i]).filter((value) => value !== null);
    return there.length > 0 && there.every((value) => numberOf(value) !== null);
  });
  const named = (Array.isArray(settings['yAxis']) ? settings['yAxis'] : [])
    .map((axis) => ({ index: placeOf(axis), label: labelOf(axis) }))
    .filter(({ index }) => index >= 0);
  const asked = placeOf(settings['xAxis']);
  const free = columns.map((_, i) => i).filter((i) => !named.some(({ index }) => index === i));
  const guessed = free.find((i) => !isNumber[i]) ?? (columns.length > 1 ? free[0] : undefined) ?? null;
  const x = asked >= 0 ? asked : guessed;
  const numbers = columns.map((_, index) => ({ index, label: null })).filter(({ index }) => isNumber[index] && index !== x);
  const y = (named.length > 0 ? named : numbers).map(({ index, label }) => ({ index, label: label ?? columns[index] ?? '' }));
  const breakdown = columns.indexOf(text(settings['seriesBreakdownColumn']) ?? '');
  return { x, y, breakdown: breakdown < 0 ? null : breakdown };
}

/** What a column is to be called. */
const labelOf = (axis: unknown): string | null => text(fields(fields(fields(axis)['settings'])['display'])['label']);

/** A line for each value of a column, over all places that any of them has. */
function brokenDown({ rows }: Rows, labels: readonly string[], y: number, breakdown: number) {
  const places = [...new Set(labels)];
  const placeOf = new Map(places.map((label, i) => [label, i]));
  const lines = new Map<string, number[]>();
  for (const [i, row] of rows.entries()) {
    const name = String(row[breakdown] ?? '(none)');
    const data = lines.get(name) ?? places.map(() => 0);
    const place = placeOf.get(labels[i] ?? '') ?? 0;
    data[place] = (data[place] ?? 0) + (numberOf(row[y]) ?? 0);
    lines.set(name, data);
  }
  return { places, lines: [...lines].slice(0, MOST_LINES).map(([name, data]) => line(name, data)) };
}

function line(label: string, data: number[], total?: number): Series {
  return {
    label,
    name: label,
    customName: null,
    breakdown: null,
    status: null,
    isPrevious: false,
    data,
    total: total ?? data.reduce((sum, one) => sum + one, 0),
  };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** The values of a column for people; times, as the query gave them, as trends have them: `1-May-2026`. */
function labelsOf({ rows }: Rows, column: number): string[] {
  const values = rows
    .map((row) => row[column])
    .map((value) => (value === null || value === undefined ? '(none)' : String(value)));
  const times = values.map((value) => TIME.exec(value));
  if (!times.every((time) => time !== null)) return values;
  const isDays = times.every((time) => (time[4] ?? '00:00') === '00:00');
  return times.map(([, year, month, day, clock = '00:00']) => {
    const date = `${Number(day)}-${MONTHS[Number(month) - 1] ?? month}-${year}`;
    return isDays ? date : `${date} ${clock}`;
  });
}
